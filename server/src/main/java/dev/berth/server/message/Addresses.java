package dev.berth.server.message;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Where messages may go. A lab's receivers are on this machine and in its own network, so those are
 * allowed; what answers at a machine's own link, to every machine the same, is not.
 */
public final class Addresses {

    /** Where clouds hand out credentials, beyond the link-local ones. */
    private static final Set<String> METADATA =
            Set.of(
                    "fd00:0ec2:0000:0000:0000:0000:0000:0254",
                    "fd20:00ce:0000:0000:0000:0000:0000:0254",
                    "100.100.100.200",
                    "168.63.129.16",
                    "192.0.0.192");

    /** What is before an IPv4 address in 64:ff9b::/96 and ::ffff:0:0:0/96. */
    private static final List<String> TRANSLATED =
            List.of("0064ff9b" + "0".repeat(16), "0".repeat(16) + "ffff0000");

    private static final String SIX_TO_FOUR = "2002";

    /** 64:ff9b:1::/48, of which a network uses as much as it likes (RFC 8215). */
    private static final String LOCALLY_TRANSLATED = "0064ff9b0001";

    private static final List<Integer> LAST = List.of(12, 13, 14, 15);

    /** Where the four bytes are after a prefix of 48, 56, 64 and 96 bits (RFC 6052). */
    private static final List<List<Integer>> LAYOUTS =
            List.of(List.of(6, 7, 9, 10), List.of(7, 9, 10, 11), List.of(9, 10, 11, 12), LAST);

    private Addresses() {}

    /** Why nothing is sent there, if so. */
    public static Optional<String> refused(InetAddress address) {
        return embedded(address).stream()
                .map(Addresses::judged)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> judged(InetAddress plain) {
        if (plain.isAnyLocalAddress() || isThisNetwork(plain)) {
            return Optional.of("it is no address of anybody");
        }
        if (plain.isLinkLocalAddress()) {
            return Optional.of("it is a link-local address");
        }
        if (METADATA.contains(text(plain))) {
            return Optional.of("it is an address of machine metadata");
        }
        if (plain.isMulticastAddress() || isReserved(plain)) {
            return Optional.of("it is an address of many");
        }
        return Optional.empty();
    }

    /**
     * The same of a host in a configuration; a name is looked up only when something is sent.
     *
     * @param host without brackets
     */
    public static Optional<String> refused(String host) {
        try {
            return refused(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException _) {
            // Some systems read 2130706433 and 0x7f.1 as addresses; no host has such a name.
            return host.matches("[0-9.]+|0[xX].*")
                    ? Optional.of("it is no usual form of an address")
                    : Optional.empty();
        }
    }

    /** All addresses of a host, or none of them: one that is forbidden spoils the others. */
    static List<InetAddress> of(String host, Duration patience) throws Undelivered {
        var forbidden = refused(host);
        if (forbidden.isPresent()) {
            throw new Undelivered(host + " is refused: " + forbidden.get());
        }
        var found = lookUp(host, patience);
        for (var address : found) {
            var why = refused(address);
            if (why.isPresent()) {
                throw new Undelivered(
                        host + " is refused: its address " + text(address) + ": " + why.get());
            }
        }
        return found;
    }

    /** On a thread of its own: some resolvers take their time, and can not be interrupted. */
    private static List<InetAddress> lookUp(String host, Duration patience) throws Undelivered {
        var found = new CompletableFuture<List<InetAddress>>();
        Thread.ofPlatform()
                .daemon()
                .name("lookup")
                .start(
                        () -> {
                            try {
                                found.complete(List.of(InetAddress.getAllByName(host)));
                            } catch (UnknownHostException | RuntimeException e) {
                                found.completeExceptionally(e);
                            }
                        });
        try {
            return found.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException _) {
            throw new Undelivered("there is no host " + host);
        } catch (TimeoutException _) {
            throw new Undelivered("looking up " + host + " took too long");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new Undelivered("interrupted");
        }
    }

    /**
     * An IPv4 address in the clothes of an IPv6 one is judged as what it is. The JDK itself
     * undresses {@code ::ffff:1.2.3.4}.
     *
     * @return more than one where nobody but its network knows which is meant
     */
    private static List<InetAddress> embedded(InetAddress address) {
        if (!(address instanceof Inet6Address six)) {
            return List.of(address);
        }
        var bytes = six.getAddress();
        var digits = HexFormat.of().formatHex(bytes);
        boolean isCompatible =
                six.isIPv4CompatibleAddress()
                        && !six.isAnyLocalAddress()
                        && !six.isLoopbackAddress();
        if (isCompatible || TRANSLATED.stream().anyMatch(digits::startsWith)) {
            return List.of(four(bytes, LAST));
        }
        if (digits.startsWith(SIX_TO_FOUR)) {
            return List.of(four(bytes, List.of(2, 3, 4, 5)));
        }
        if (digits.startsWith(LOCALLY_TRANSLATED)) {
            var found =
                    LAYOUTS.stream()
                            .map(layout -> four(bytes, layout))
                            .filter(four -> !isThisNetwork(four))
                            .toList();
            return found.isEmpty() ? List.of(four(bytes, LAST)) : found;
        }
        return List.of(address);
    }

    /**
     * @param places of its bytes
     */
    private static InetAddress four(byte[] bytes, List<Integer> places) {
        var four = new byte[places.size()];
        for (int i = 0; i < four.length; i++) {
            four[i] = bytes[places.get(i)];
        }
        try {
            return InetAddress.getByAddress(four);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four bytes are an address", e);
        }
    }

    private static boolean isThisNetwork(InetAddress address) {
        return address instanceof Inet4Address && address.getAddress()[0] == 0;
    }

    /** 240.0.0.0/4, with the broadcast among them. */
    private static boolean isReserved(InetAddress address) {
        return address instanceof Inet4Address && (address.getAddress()[0] & 0xf0) == 0xf0;
    }

    private static String text(InetAddress address) {
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        return HexFormat.of().formatHex(address.getAddress()).replaceAll("(....)(?!$)", "$1:");
    }
}
