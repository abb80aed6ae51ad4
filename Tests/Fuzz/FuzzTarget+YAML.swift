import WeirJSON
import WeirPipeline
import WeirYAML

/// Checks that a parsed YAML text, written as JSON and parsed again, has the same value. For a rejected text, all
/// reported positions must be inside it.
func fuzzYAML(_ input: ArraySlice<UInt8>) {
    do throws(YAMLError) {
        let json = try YAMLNode.parse(Array(input)).json
        require((try? RawJSON(checking: json.bytes)) != nil, "written JSON does not read")
        // Aliases can make the JSON longer than the limit.
        guard json.bytes.count <= YAMLLimits.bytes else { return }
        guard let again = try? YAMLNode.parse(Array(json.bytes)) else { fatalError("written JSON is no YAML") }
        require(again.json == json, "written JSON reads as another value")
    } catch {
        require(!error.problems.isEmpty, "refused without a reason")
        let lines = input.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        for problem in error.problems {
            let place = problem.position
            require(1...lines ~= place.line && 1...input.count + 1 ~= place.column, "a place outside the text")
        }
    }
}

/// Checks that a parsed profile, written as JSON and parsed again, is equal. A rejected profile must have a reason.
func fuzzProfile(_ input: ArraySlice<UInt8>) {
    do throws(Profile.Invalid) {
        let profile = try Profile(parsing: Array(input))
        // Aliases can make the JSON longer than the limit.
        guard profile.json.bytes.count <= YAMLLimits.bytes else { return }
        guard let again = try? Profile(parsing: Array(profile.json.bytes)) else {
            fatalError("a written profile is none")
        }
        require(again == profile, "a written profile reads as another one")
    } catch {
        require(!error.problems.isEmpty, "refused without a reason")
    }
    // Any valid AsyncAPI document must yield a valid profile.
    guard let made = try? AsyncAPIProfile(of: Array(input)) else { return }
    require((try? Profile(parsing: Array(made.text.utf8))) != nil, "what was made of a document is no profile")
}
