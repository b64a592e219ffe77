package dev.berth.server.identity;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Finds the user behind a connection from this machine: the kernel lists every TCP socket with its
 * owner.
 *
 * @param tables {@code /proc/net/tcp} and {@code tcp6}; an IPv6 socket may well speak IPv4
 */
public record LoopbackClients(List<Path> tables) {

    public static final LoopbackClients OF_THIS_MACHINE =
            new LoopbackClients(List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6")));

    /** The list is made while sockets come and go, and may miss one that was there all the time. */
    private static final int LOOKS = 3;

    private static final int READ_BYTES = 256 << 10;
    private static final int UID = 7;
    private static final int INODE = 9;

    /**
     * Reading a file pins a virtual thread to its carrier, and on a busy machine the kernel's list
     * is long: done on threads of their own, such looks cannot hold up other requests.
     */
    private static final ExecutorService LOOKERS =
            Executors.newFixedThreadPool(
                    2, Thread.ofPlatform().daemon().name("loopback-", 1).factory());

    OptionalInt uidOf(InetSocketAddress client, InetSocketAddress server) throws IOException {
        try {
            return LOOKERS.submit(() -> look(client, server)).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking for a client's user", e);
        } catch (ExecutionException e) {
            throw new IOException("a client's user could not be looked up", e.getCause());
        }
    }

    private OptionalInt look(InetSocketAddress client, InetSocketAddress server)
            throws IOException {
        for (int look = 0; look < LOOKS; look++) {
            for (var table : tables) {
                var uid = uidIn(table, client, server);
                if (uid.isPresent()) {
                    return uid;
                }
            }
        }
        return OptionalInt.empty();
    }

    private static OptionalInt uidIn(Path table, InetSocketAddress client, InetSocketAddress server)
            throws IOException {
        if (!Files.exists(table)) {
            return OptionalInt.empty();
        }
        var wide = table.endsWith("tcp6");
        // One text to look for, so that only the line in question is taken apart: the list can be
        // long.
        var ends = " " + written(client, wide) + " " + written(server, wide) + " ";
        try (var in = Files.newInputStream(table);
                var lines =
                        new BufferedReader(
                                new InputStreamReader(in, StandardCharsets.US_ASCII), READ_BYTES)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(ends)) {
                    var row = line.strip().split("\\s+");
                    // A socket that its program has closed stays in the list for a while, as root's
                    // and without inode.
                    if (row.length > INODE && !row[INODE].equals("0")) {
                        return OptionalInt.of(Integer.parseUnsignedInt(row[UID]));
                    }
                }
            }
            return OptionalInt.empty();
        }
    }

    /** As the kernel writes it: 32-bit words in the machine's own byte order, in hex. */
    static String written(InetSocketAddress address, boolean wide) {
        var text = new StringBuilder();
        var bytes =
                ByteBuffer.wrap(bytes(address.getAddress(), wide)).order(ByteOrder.nativeOrder());
        while (bytes.hasRemaining()) {
            text.append(String.format("%08X", bytes.getInt()));
        }
        return text.append(String.format(":%04X", address.getPort())).toString();
    }

    private static byte[] bytes(InetAddress address, boolean wide) {
        if (!(wide && address instanceof Inet4Address)) {
            return address.getAddress();
        }
        return ByteBuffer.allocate(16)
                .position(10)
                .putShort((short) 0xFFFF)
                .put(address.getAddress())
                .array();
    }
}
