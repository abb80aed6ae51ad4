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
    package static func companies(_ era: TwakeLogin.Era) -> TwakeLogin.Call {
        TwakeLogin.Call(TwakeEndpoints.companies(era.own).call)
    }

    /// Asks for a company's workspaces.
    package static func workspaces(_ era: TwakeLogin.Era, of company: EntityID) -> TwakeLogin.Call {
        TwakeLogin.Call(TwakeEndpoints.workspaces(era.own, company: company).call)
    }

    /// The ids in an answer to either.
    package static func places(from body: ArraySlice<UInt8>) throws(DecodingFailure) -> [EntityID] {
        try Twake.places(from: body).map(\.id)
    }

    /// Asks for a file's bytes. Era A has them outside the proxy.
    package static func file(_ era: TwakeLogin.Era, _ id: EntityID, in place: Place) -> TwakeLogin.Call {
        switch era {
        case .a:
            TwakeLogin.Call(
                "GET",
                "/ajax/drive/download?workspace_id=\(place.workspace)&element_id=\(id)&download=1")
        case .b:
            TwakeLogin.Call(
                "GET", "\(TwakeEndpoints.core)/files/v1/companies/\(place.company)/files/\(id)/download")
        }
    }

    /// Asks for a user's account, which says where the picture is.
    package static func account(_ era: TwakeLogin.Era, of user: EntityID) -> TwakeLogin.Call {
        switch era {
        case .a: TwakeLogin.Call("GET", "\(TwakeEndpoints.proxy)/user?id=\(user)")
        case .b: TwakeLogin.Call("GET", "\(TwakeEndpoints.core)/users/v1/users/\(user)")
        }
    }
}

extension TwakeLogin.Era {
    fileprivate var own: TwakeEra {
        switch self {
        case .a: .a
        case .b: .b
        }
    }
}
