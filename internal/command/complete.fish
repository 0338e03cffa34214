# Completion of PROGRAM for fish.
function __PROGRAM_complete
	set -l words (commandline --tokenize --cut-at-cursor --current-process)
	set -l current (commandline --current-token --cut-at-cursor)
	for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
		if test "$line" = ":files"
			__fish_complete_path "$current"
			return
		end
		echo $line
	end
end
complete --command PROGRAM --no-files --arguments '(__PROGRAM_complete)'
