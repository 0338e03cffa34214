// Package asked reports whether a user asked for a command, from what the user said: as a command
// of the same meaning that the user wrote, or as a plain request ("pull the latest changes") of
// which every word is accounted for, and which accounts for every word of the command.
//
// What it can't account for it doesn't take for asked. It reads English.
package asked
