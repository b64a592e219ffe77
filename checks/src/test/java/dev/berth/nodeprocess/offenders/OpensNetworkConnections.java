package dev.berth.nodeprocess.offenders;

import java.io.IOException;
import java.net.Socket;

/** Connects to another machine as root. */
public final class OpensNetworkConnections {
    public Socket open() throws IOException {
        return new Socket("localhost", 1);
    }
}
