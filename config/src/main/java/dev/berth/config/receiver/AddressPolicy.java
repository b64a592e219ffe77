package dev.berth.config.receiver;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides which addresses notifications may be sent to. Receivers run on this machine or in the
 * local network, so these are allowed; link-local and metadata addresses, which mean the same on
 * every machine, are not.
 */
public final class AddressPolicy {

    /** Addresses at which clouds hand out credentials, besides the link-local ones. */
    private static final Set<String> METADATA =
            Set.of(
                    "fd00:0ec2:0000:0000:0000:0000:0000:0254",
                    "fd20:00ce:0000:0000:0000:0000:0000:0254",
                    "100.100.100.200",
                    "168.63.129.16",
                    "192.0.0.192");

    /** Prefixes of an embedded IPv4 address: 64:ff9b::/96 and ::ffff:0:0:0/96. */
    private static final List<String> TRANSLATION_PREFIXES =
            List.of("0064ff9b" + "0".repeat(16), "0".repeat(16) + "ffff0000");

    private static final String SIX_TO_FOUR = "2002";

    /** 64:ff9b:1::/48, in which each network chooses its own prefix length (RFC 8215). */
    private static final String LOCAL_TRANSLATION_PREFIX = "0064ff9b0001";

    private static final List<Integer> LAST_FOUR_BYTES = List.of(12, 13, 14, 15);

    /** Positions of the four IPv4 bytes after a prefix of 48, 56, 64 and 96 bits (RFC 6052). */
    private static final List<List<Integer>> LAYOUTS =
            List.of(
                    List.of(6, 7, 9, 10),
                    List.of(7, 9, 10, 11),
                    List.of(9, 10, 11, 12),
                    LAST_FOUR_BYTES);

    private AddressPolicy() {}

    /** The reason why nothing may be sent to this address; empty if it is allowed. */
    public static Optional<String> refusalReason(InetAddress address) {
        return extractIpv4(address).stream()
                .map(AddressPolicy::refusalOf)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> refusalOf(InetAddress plain) {
        if (plain.isAnyLocalAddress() || isThisNetwork(plain)) {
            return Optional.of("it is not the address of a host");
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
     * The same for a host in the configuration; a host name is resolved only when something is
     * sent.
     *
     * @param host without brackets
     */
    public static Optional<String> refusalReason(String host) {
        try {
            return refusalReason(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException _) {
            // Some systems accept 2130706433 and 0x7f.1 as addresses; no host has such a name.
            return host.matches("[0-9.]+|0[xX].*")
                    ? Optional.of("it is no usual form of an address")
                    : Optional.empty();
        }
    }

    /**
     * Extracts IPv4 addresses embedded in an IPv6 address. The JDK itself converts {@code
     * ::ffff:1.2.3.4}.
     *
     * @return several candidates if only the network knows the prefix length
     */
    private static List<InetAddress> extractIpv4(InetAddress address) {
        if (!(address instanceof Inet6Address ipv6)) {
            return List.of(address);
        }
        var bytes = ipv6.getAddress();
        var digits = HexFormat.of().formatHex(bytes);
        boolean isCompatible =
                ipv6.isIPv4CompatibleAddress()
                        && !ipv6.isAnyLocalAddress()
                        && !ipv6.isLoopbackAddress();
        if (isCompatible || TRANSLATION_PREFIXES.stream().anyMatch(digits::startsWith)) {
            return List.of(ipv4(bytes, LAST_FOUR_BYTES));
        }
        if (digits.startsWith(SIX_TO_FOUR)) {
            return List.of(ipv4(bytes, List.of(2, 3, 4, 5)));
        }
        if (digits.startsWith(LOCAL_TRANSLATION_PREFIX)) {
            var found =
                    LAYOUTS.stream()
                            .map(layout -> ipv4(bytes, layout))
                            .filter(four -> !isThisNetwork(four))
                            .toList();
            return found.isEmpty() ? List.of(ipv4(bytes, LAST_FOUR_BYTES)) : found;
        }
        return List.of(address);
    }

    /**
     * @param places positions of the four bytes
     */
    private static InetAddress ipv4(byte[] bytes, List<Integer> places) {
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

    /** 240.0.0.0/4, including broadcast. */
    private static boolean isReserved(InetAddress address) {
        return address instanceof Inet4Address && (address.getAddress()[0] & 0xf0) == 0xf0;
    }

    /** IPv4 in dotted form, IPv6 as eight full groups. */
    public static String text(InetAddress address) {
        if (address instanceof Inet4Address) {
            return address.getHostAddress();
        }
        return HexFormat.of().formatHex(address.getAddress()).replaceAll("(....)(?!$)", "$1:");
    }
}
