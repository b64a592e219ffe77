package dev.berth.node.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Recognises tmux servers. A process can give itself any name, but not any program. */
final class TmuxServers {

    static final String NAME = "tmux: server";

    private TmuxServers() {}

    /** True if it runs the program tmux of root. */
    static boolean isOne(ProcessStat stat) {
        var program = Path.of("/proc/" + stat.pid() + "/exe");
        try {
            return stat.program().equals(NAME)
                    && Files.readSymbolicLink(program).endsWith("tmux")
                    && Files.getAttribute(program, "unix:uid") instanceof Integer owner
                    && owner == 0;
        } catch (IOException ended) {
            return false;
        }
    }
}
