package dev.berth.identity;

import jdk.net.ExtendedSocketOptions;

import org.eclipse.jetty.server.ConnectionMetaData;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;

/**
 * Asks the kernel which user is at the other end of a connection. The answer is kept with the
 * connection, because its two ends do not change.
 *
 * @param lookups platform threads: the JDK also asks the name services for the peer's name, which
 *     blocks in native code
 */
record ConnectionPeers(LoopbackClients clients, ExecutorService lookups) {

    private static final String ATTRIBUTE = ConnectionPeers.class.getName();

    /** Empty if the kernel does not name the user. */
    OptionalInt uidOf(ConnectionMetaData connection) throws IOException {
        if (connection.getAttribute(ATTRIBUTE) instanceof Integer known) {
            return OptionalInt.of(known);
        }
        var uid = askKernel(connection);
        uid.ifPresent(found -> connection.setAttribute(ATTRIBUTE, found));
        return uid;
    }

    private OptionalInt askKernel(ConnectionMetaData connection) throws IOException {
        return connection.getRemoteSocketAddress() instanceof InetSocketAddress client
                        && connection.getLocalSocketAddress() instanceof InetSocketAddress own
                ? clients.uidOf(client, own)
                : OptionalInt.of(socketPeer(connection));
    }

    private int socketPeer(ConnectionMetaData connection) throws IOException {
        var channel = (SocketChannel) connection.getConnection().getEndPoint().getTransport();
        try {
            return lookups.submit(
                            () ->
                                    PeerUid.of(
                                            channel.getOption(ExtendedSocketOptions.SO_PEERCRED)
                                                    .user()))
                    .get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking for a client's user", e);
        } catch (ExecutionException e) {
            throw new IOException("a client's user could not be read", e.getCause());
        }
    }
}
