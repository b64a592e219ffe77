package dev.berth.identity;

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

/**
 * Finds the user who opened a connection from this machine. The kernel lists every TCP socket with
 * its owner.
 *
 * @param tables {@code /proc/net/tcp} and {@code tcp6}; an IPv6 socket may carry IPv4 traffic
 * @param lookups platform threads. Reading a file pins a virtual thread to its carrier, and on a
 *     busy machine the kernel's list is long: separate threads keep these reads from delaying other
 *     requests
 */
public record LoopbackClients(List<Path> tables, ExecutorService lookups) {

    public static LoopbackClients ofThisMachine(ExecutorService lookups) {
        return new LoopbackClients(
                List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6")), lookups);
    }

    /**
     * The kernel builds the list while sockets open and close, so it may miss a socket that existed
     * throughout.
     */
    private static final int ATTEMPTS = 3;

    private static final int READ_BYTES = 256 << 10;
    private static final int UID = 7;
    private static final int INODE = 9;

    OptionalInt uidOf(InetSocketAddress client, InetSocketAddress server) throws IOException {
        try {
            return lookups.submit(() -> search(client, server)).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while looking for a client's user", e);
        } catch (ExecutionException e) {
            throw new IOException("a client's user could not be looked up", e.getCause());
        }
    }

    private OptionalInt search(InetSocketAddress client, InetSocketAddress server)
            throws IOException {
        for (int search = 0; search < ATTEMPTS; search++) {
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
        var isIpv6 = table.endsWith("tcp6");
        // One search string, so that only the matching line is split: the list can be long.
        var addresses =
                " " + kernelFormat(client, isIpv6) + " " + kernelFormat(server, isIpv6) + " ";
        try (var in = Files.newInputStream(table);
                var lines =
                        new BufferedReader(
                                new InputStreamReader(in, StandardCharsets.US_ASCII), READ_BYTES)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(addresses)) {
                    var row = line.strip().split("\\s+");
                    // A socket that its program has closed stays in the list for a while, with
                    // owner root and inode 0.
                    if (row.length > INODE && !row[INODE].equals("0")) {
                        return OptionalInt.of(Integer.parseUnsignedInt(row[UID]));
                    }
                }
            }
            return OptionalInt.empty();
        }
    }

    /** The kernel's format: 32-bit words in the machine's byte order, in hex. */
    static String kernelFormat(InetSocketAddress address, boolean isIpv6) {
        var text = new StringBuilder();
        var bytes =
                ByteBuffer.wrap(bytes(address.getAddress(), isIpv6)).order(ByteOrder.nativeOrder());
        while (bytes.hasRemaining()) {
            text.append(String.format("%08X", bytes.getInt()));
        }
        return text.append(String.format(":%04X", address.getPort())).toString();
    }

    private static byte[] bytes(InetAddress address, boolean isIpv6) {
        if (!(isIpv6 && address instanceof Inet4Address)) {
            return address.getAddress();
        }
        return ByteBuffer.allocate(16)
                .position(10)
                .putShort((short) 0xFFFF)
                .put(address.getAddress())
                .array();
    }
}
