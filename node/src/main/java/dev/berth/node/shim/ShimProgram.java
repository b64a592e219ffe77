package dev.berth.node.shim;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The program that runs the shim of one attempt. Both programs have the same arguments, so a shim
 * is found by them, whichever program an earlier server has used.
 *
 * @param path absolute
 * @param isNative true if its exit status tells whether processes are left
 */
public record ShimProgram(Path path, boolean isNative) {

    /** The command line that the spawner starts. */
    public List<String> start(AttemptDirectory directory) {
        return Stream.concat(Stream.of(path.toString()), arguments(directory).stream()).toList();
    }

    /** {@code -p} makes bash ignore functions and options in the server's environment. */
    public static List<String> arguments(AttemptDirectory directory) {
        return List.of("-p", directory.runScript().toString());
    }
}
