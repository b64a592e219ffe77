package dev.berth.node.shim;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The banner in the log before the user's first line: PATH, and which python and conda the command
 * would run. The shim prints it faster, if it must find the same programs as the command's shell.
 */
final class StartBanner {

    /**
     * Prints the banner in the command's shell; a single line. It uses {@code builtin}, because the
     * server's environment may export functions with the names of builtins.
     */
    static final String OF_SHELL =
            """
            builtin printf '===== Command Script Start =====\\nScript PATH: %s\\ncommand -v python: ' "$PATH"; \
            builtin command -v python || builtin printf 'not found\\n'; builtin printf 'command -v conda: '; \
            builtin command -v conda || builtin printf 'not found\\n'
            """;

    /** In place of the line above. */
    static final String OF_SHIM = "# The shim prints the start banner.\n";

    /** Variables that let a shell find something else than programs of its PATH. */
    private static final Pattern CHANGES_SEARCH =
            Pattern.compile("BASH_ENV|POSIXLY_CORRECT|BASH_FUNC_(?:python|conda)\\W.*");

    private final boolean isSearchedByPath;

    /**
     * @param environment that commands inherit
     */
    StartBanner(CommandSettings commands, Map<String, String> environment) {
        this.isSearchedByPath =
                commands.initScript().isEmpty()
                        && environment.keySet().stream()
                                .noneMatch(name -> CHANGES_SEARCH.matcher(name).matches())
                        && !isStartedBySsh(environment)
                        && isAbsolute(environment.getOrDefault("PATH", "/"));
    }

    /** The bash of Debian then reads {@code ~/.bashrc}, unless another shell has started it. */
    private static boolean isStartedBySsh(Map<String, String> environment) {
        return (environment.containsKey("SSH_CLIENT") || environment.containsKey("SSH2_CLIENT"))
                && !environment.getOrDefault("SHLVL", "0").matches("[1-9]\\d*");
    }

    /** Another entry depends on the directory, and an empty PATH is the directory. */
    private static boolean isAbsolute(String path) {
        var entries =
                Stream.of(path.split(":", -1))
                        .filter(entry -> !OwnerScript.isVirtualEnvironment(entry))
                        .toList();
        return !entries.isEmpty() && entries.stream().allMatch(entry -> entry.startsWith("/"));
    }

    /** Whether the shim prints it. */
    boolean isPrintedByShim(ShimParameters parameters, ShimProgram program) {
        return program.isNative()
                && parameters.owner().isEmpty()
                && parameters.environment().isEmpty()
                && isSearchedByPath;
    }
}
