package dev.berth.nodesocket;

import jdk.net.ExtendedSocketOptions;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;
import java.util.Collection;

/** The user at the other end of a Unix socket, as the kernel states it. */
public final class PeerUser {

    private PeerUser() {}

    /** True if the other end is one of these users. Principals are compared by uid. */
    public static boolean isOneOf(SocketChannel channel, Collection<UserPrincipal> users)
            throws IOException {
        return users.contains(of(channel));
    }

    public static UserPrincipal of(SocketChannel channel) throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    }

    /**
     * @throws IOException there is no such account
     */
    public static UserPrincipal named(String user) throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(user);
    }
}
