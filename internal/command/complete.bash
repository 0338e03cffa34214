# Completion of PROGRAM for bash.
_PROGRAM_complete() {
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}") line
	# Bash takes --flag=value apart; the program wants it whole.
	local joined=() i
	for ((i = 0; i < ${#words[@]}; i++)); do
		if [ "${words[i]}" = "=" ] && [ ${#joined[@]} -gt 0 ]; then
			joined[-1]+="=${words[i + 1]:-}"
			((i++))
		else
			joined+=("${words[i]}")
		fi
	done
	COMPREPLY=()
	while IFS= read -r line; do
		if [ "$line" = ":files" ]; then
			mapfile -t COMPREPLY < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]#=}")
			compopt -o filenames 2>/dev/null || true
			return 0
		fi
		line=${line%%$'\t'*}
		[ "${COMP_WORDS[COMP_CWORD - 1]}" = "=" ] || [ "${COMP_WORDS[COMP_CWORD]}" = "=" ] && line=${line#*=}
		COMPREPLY+=("$line")
	done < <("${COMP_WORDS[0]}" __complete "${joined[@]}" 2>/dev/null)
}
complete -F _PROGRAM_complete PROGRAM
