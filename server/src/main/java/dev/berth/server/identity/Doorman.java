package dev.berth.server.identity;

import dev.berth.core.task.Owner;
import dev.berth.server.http.Answer;

import jdk.net.ExtendedSocketOptions;

import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;

/** Says who calls. A connection is looked at once: its two ends do not change. */
public final class Doorman {

    private static final Logger log = LoggerFactory.getLogger(Doorman.class);
    private static final String SEEN = Doorman.class.getName();

    private final Auth auth;
    private final ServerUser server;
    private final LoopbackClients clients;
    private final Path socket;

    public Doorman(Auth auth, ServerUser server, LoopbackClients clients, Path socket) {
        this.auth = auth;
        this.server = server;
        this.clients = clients;
        this.socket = socket;
    }

    public Who who(Request request) {
        var connection = request.getConnectionMetaData();
        if (connection.getAttribute(SEEN) instanceof Who seen) {
            return seen;
        }
        var who = look(connection);
        connection.setAttribute(SEEN, who);
        return who;
    }

    private Who look(ConnectionMetaData connection) {
        try {
            if (connection.getRemoteSocketAddress() instanceof InetSocketAddress client
                    && connection.getLocalSocketAddress() instanceof InetSocketAddress own) {
                return auth == Auth.NONE ? loopback(client, own) : tokenless();
            }
            return peer(connection);
        } catch (IOException e) {
            log.warn("refused a caller whose user cannot be read: {}", e.getMessage());
            return unknown();
        }
    }

    private Who peer(ConnectionMetaData connection) throws IOException {
        var channel = (SocketChannel) connection.getConnection().getEndPoint().getTransport();
        UserPrincipal user = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        if (server.serves(user)) {
            return new Who.Served(Owner.unix(user.getName()));
        }
        return notServed(user.getName());
    }

    private Who loopback(InetSocketAddress client, InetSocketAddress own) throws IOException {
        var uid = clients.uidOf(client, own);
        if (uid.isEmpty()) {
            log.warn("refused a loopback caller whose user the kernel does not name");
            return unknown();
        }
        return server.serves(uid.getAsInt())
                ? new Who.Served(server.owner())
                : notServed("uid " + uid.getAsInt());
    }

    private Who notServed(String caller) {
        log.warn("refused caller={}: not the server's user and not root", caller);
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "caller.not_served",
                        "This Berth runs as "
                                + server.name()
                                + ", and so would every task: it serves that user and root only,"
                                + " and you are "
                                + caller
                                + ". Start your own with: berth serve"));
    }

    private Who tokenless() {
        return new Who.Stranger(
                Answer.problem(
                                401,
                                "caller.unknown",
                                "Berth does not know who you are here. Use the berth command on"
                                        + " this machine, or curl --unix-socket "
                                        + socket
                                        + " http://localhost/api/…; or start the server with"
                                        + " --auth none to serve your own programs on 127.0.0.1.")
                        .with("WWW-Authenticate", "Bearer realm=\"berth\""));
    }

    private static Who unknown() {
        return new Who.Stranger(
                Answer.problem(
                        403,
                        "caller.unreadable",
                        "Berth cannot find out which user this connection belongs to."));
    }
}
