#compdef PROGRAM
# Completion of PROGRAM for zsh.
_PROGRAM() {
	local -a candidates
	local line
	while IFS= read -r line; do
		if [[ $line == ":files" ]]; then
			_files
			return
		fi
		line=${line//:/\\:}
		candidates+=("${line/$'\t'/:}")
	done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
	_describe PROGRAM candidates
}
compdef _PROGRAM PROGRAM
