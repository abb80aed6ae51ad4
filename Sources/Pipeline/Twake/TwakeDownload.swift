package import Events

/// Files and pictures (4.3, 4.4): where they are asked for, for a hand without a session.
package enum TwakeDownload {
    /// Where a file is looked for.
    package struct Place: Hashable, Sendable {
        /// The company.
        package var company: EntityID
        /// The workspace.
        package var workspace: EntityID
        /// A place.
        package init(company: EntityID, workspace: EntityID) {
            self.company = company
            self.workspace = workspace
        }
    }

    /// Asks for the user's companies.
    package static func companies(_ era: TwakeEra) -> RESTCall {
        TwakeEndpoints.companies(era).call
    }

    /// Asks for a company's workspaces.
    package static func workspaces(_ era: TwakeEra, of company: EntityID) -> RESTCall {
        TwakeEndpoints.workspaces(era, company: company).call
    }

    /// The ids in an answer to either.
    package static func places(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [EntityID] {
        try Twake.places(from: body).map(\.id)
    }

    /// Asks for a file's bytes. Era A has them outside the proxy.
    package static func file(_ era: TwakeEra, _ id: EntityID, in place: Place) -> RESTCall {
        switch era {
        case .a:
            RESTCall(.get, "/ajax/drive/download?workspace_id=\(place.workspace)&element_id=\(id)&download=1")
        case .b:
            RESTCall(.get, "\(TwakeEndpoints.core)/files/v1/companies/\(place.company)/files/\(id)/download")
        }
    }

    /// Asks for a user's account, which says where the picture is.
    package static func account(_ era: TwakeEra, of user: EntityID) -> RESTCall {
        switch era {
        case .a: RESTCall(.get, "\(TwakeEndpoints.proxy)/user?id=\(user)")
        case .b: RESTCall(.get, "\(TwakeEndpoints.core)/users/v1/users/\(user)")
        }
    }
}
