/// The completion scripts. Each one asks `weir complete` for candidates.
enum CompletionScripts {
    static let bash = #"""
        # Completion of weir for bash: eval "$(weir completion bash)"
        _weir() {
            local line=${COMP_LINE:0:COMP_POINT} prefix="" candidate files="" words current
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=("")
            current=${words[-1]}
            # The shell handles quotes.
            words=("${words[@]//[\"\'\\]/}")
            # Readline replaces only the text after its last word break.
            [[ $current == *[:=]* ]] && prefix=${current%"${current##*[:=]}"}
            COMPREPLY=()
            while IFS=$'\t' read -r candidate _; do
                if [[ $candidate == :files ]]; then files=1; continue; fi
                candidate=${candidate#"$prefix"}
                [[ $current == [\'\"]* ]] || printf -v candidate %q "$candidate"
                COMPREPLY+=("$candidate")
            done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
            if [[ -n $files ]]; then
                compopt -o filenames 2>/dev/null
                while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "${current#"$prefix"}")
            fi
            # A flag that ends with = or a reference that ends with : gets no space.
            [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace 2>/dev/null
            return 0
        }
        complete -o nosort -F _weir weir 2>/dev/null || complete -F _weir weir

        """#

    static let zsh = #"""
        #compdef weir
        # Completion of weir for zsh: weir completion zsh > a folder of $fpath/_weir, or eval "$(weir completion zsh)"
        _weir() {
            local -a values
            local line word
            local -i files=0
            for line in "${(@f)$("${(Q)words[1]}" complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
                if [[ $line == :files ]]; then
                    files=1
                elif [[ -n $line ]]; then
                    word=${line%%$'\t'*}
                    values+=("${word//:/\\:}:${line#*$'\t'}")
                fi
            done
            (( $#values )) && _describe -V -t words weir values
            (( files )) && _files
            return 0
        }
        if [[ ${funcstack[1]} == _weir ]]; then _weir "$@"; else compdef _weir weir; fi

        """#

    static let fish = #"""
        # Completion of weir for fish: weir completion fish > ~/.config/fish/completions/weir.fish
        function __weir_words
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            command $words[1] complete $words[2..-1] "$current" 2>/dev/null
        end
        complete -c weir -k -f -a '(__weir_words | string match -v ":files")'
        complete -c weir -n '__weir_words | string match -q ":files"' -F

        """#
}
