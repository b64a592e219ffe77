package dev.berth.identity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

@EnabledIf("isLittleEndian")
class LoopbackClientsTest {

    static boolean isLittleEndian() {
        return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    }

    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final InetSocketAddress CLIENT = new InetSocketAddress(HERE, 0xAB12);
    private static final InetSocketAddress SERVER = new InetSocketAddress(HERE, 29214);

    @TempDir private Path directory;

    private final ExecutorService lookups = Executors.newSingleThreadExecutor();

    @AfterEach
    void stop() {
        lookups.shutdownNow();
    }

    private LoopbackClients listing(String... rows) throws Exception {
        var head =
                "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid "
                        + " timeout inode\n";
        var table =
                Files.writeString(directory.resolve("tcp"), head + String.join("\n", rows) + "\n");
        return new LoopbackClients(List.of(table, directory.resolve("tcp6")), lookups);
    }

    private static String row(String local, String remote, String state, int uid, long inode) {
        return "   0: "
                + local
                + " "
                + remote
                + " "
                + state
                + " 00000000:00000000 00:00000000 00000000  "
                + uid
                + "        0 "
                + inode
                + " 1 0000000000000000 20 4 30 10 -1";
    }

    @Test
    void clientSocketNamesItsUser() throws Exception {
        var clients =
                listing(
                        row("0100007F:721E", "0100007F:AB12", "01", 0, 11),
                        row("0100007F:AB12", "0100007F:0050", "01", 1, 12),
                        row("0100007F:AB12", "0100007F:721E", "01", 1007, 13));
        assertThat(clients.uidOf(CLIENT, SERVER)).hasValue(1007);
    }

    @Test
    void closedSocketHasNoUser() throws Exception {
        var clients = listing(row("0100007F:AB12", "0100007F:721E", "06", 0, 0));
        assertThat(clients.uidOf(CLIENT, SERVER)).isEmpty();
    }

    @Test
    void halfClosedSocketHasItsUser() throws Exception {
        var clients = listing(row("0100007F:AB12", "0100007F:721E", "04", 1007, 9));
        assertThat(clients.uidOf(CLIENT, SERVER)).hasValue(1007);
    }

    @Test
    void ipv6SocketMayCarryIpv4() throws Exception {
        var mapped = "0000000000000000FFFF00000100007F";
        var clients = listing();
        Files.writeString(
                directory.resolve("tcp6"),
                "head\n" + row(mapped + ":AB12", mapped + ":721E", "01", 1008, 7));
        assertThat(clients.uidOf(CLIENT, SERVER)).hasValue(1008);
    }

    @Test
    void unlistedSocketHasNoUser() throws Exception {
        assertThat(listing().uidOf(CLIENT, SERVER)).isEmpty();
        assertThat(listing("garbage", "").uidOf(CLIENT, SERVER)).isEmpty();
    }

    @Test
    void aRealConnectionIsFound() throws Exception {
        var uid =
                (Integer)
                        Files.getAttribute(Files.createFile(directory.resolve("mine")), "unix:uid");
        try (var server = new ServerSocket(0, 1, HERE);
                var socket = new Socket(HERE, server.getLocalPort())) {
            var client = new InetSocketAddress(HERE, socket.getLocalPort());
            var own = new InetSocketAddress(HERE, server.getLocalPort());
            assertThat(LoopbackClients.ofThisMachine(lookups).uidOf(client, own)).hasValue(uid);
        }
    }
}
