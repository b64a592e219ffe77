package dev.berth.cli.manual;

import dev.berth.cli.call.CommandOption;
import dev.berth.cli.call.CommandSyntax;

import java.util.List;
import java.util.stream.Collectors;

/** Completion of commands and options; all other words are completed as files. */
final class ShellCompletion {

    private ShellCompletion() {}

    static String bash(List<CommandSyntax> commands) {
        var text = new StringBuilder("# Completion of berth for bash.\n_berth() {\n");
        text.append(
                """
                    local word=${COMP_WORDS[COMP_CWORD]} command= options= i
                    for ((i = 1; i < COMP_CWORD; i++)); do
                        case ${COMP_WORDS[i]} in
                            --home) i=$((i + 1)) ;;
                            -*) ;;
                            *) command=${COMP_WORDS[i]}; break ;;
                        esac
                    done
                    case $command in
                """);
        text.append("        '') options='").append(names(commands)).append("' ;;\n");
        for (var command : commands) {
            text.append("        ").append(command.name()).append(") options='");
            text.append(optionNames(command)).append("' ;;\n");
        }
        text.append(
                """
                    esac
                    COMPREPLY=()
                    if [[ -z $command || $word == -* ]]; then
                        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
                    fi
                }
                complete -o default -F _berth berth
                """);
        return text.toString();
    }

    static String zsh(List<CommandSyntax> commands) {
        var text = new StringBuilder("#compdef berth\n_berth() {\n    local -a words_of\n");
        text.append("    if (( CURRENT == 2 )); then\n        words_of=(\n");
        for (var command : commands) {
            text.append("            ").append(zshWord(command.name(), command.summary()));
        }
        text.append("        )\n        _describe command words_of\n        return\n    fi\n");
        text.append("    case $words[2] in\n");
        for (var command : commands) {
            text.append("        ").append(command.name()).append(")\n            words_of=(\n");
            for (var option : command.allOptions()) {
                text.append("                ").append(zshWord(option.name(), option.help()));
            }
            text.append("            )\n            ;;\n");
        }
        text.append("    esac\n    if [[ $PREFIX == -* ]]; then\n");
        text.append("        _describe option words_of\n    else\n        _files\n    fi\n}\n");
        return text.append("_berth \"$@\"\n").toString();
    }

    static String fish(List<CommandSyntax> commands) {
        var text = new StringBuilder("# Completion of berth for fish.\n");
        for (var command : commands) {
            text.append("complete -c berth -n __fish_use_subcommand -f -a ").append(command.name());
            text.append(" -d ").append(fishQuoted(command.summary())).append('\n');
            for (var option : command.allOptions()) {
                text.append("complete -c berth -n '__fish_seen_subcommand_from ");
                text.append(command.name()).append('\'');
                text.append(fishName(option.name())).append(fishName(option.shortName()));
                text.append(option.takesValue() ? " -r" : "");
                text.append(" -d ").append(fishQuoted(option.help())).append('\n');
            }
        }
        return text.toString();
    }

    private static String names(List<CommandSyntax> commands) {
        return commands.stream().map(CommandSyntax::name).collect(Collectors.joining(" "));
    }

    private static String optionNames(CommandSyntax command) {
        return command.allOptions().stream()
                .map(CommandOption::name)
                .collect(Collectors.joining(" "));
    }

    private static String zshWord(String name, String help) {
        return "'" + name + ":" + help.replace("'", "'\\''") + "'\n";
    }

    /** An option is long or short by its dashes. */
    private static String fishName(String name) {
        if (name.isEmpty()) {
            return "";
        }
        return name.startsWith("--") ? " -l " + name.substring(2) : " -s " + name.substring(1);
    }

    private static String fishQuoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
