package dev.berth.app;

import dev.berth.cli.call.UsageError;
import dev.berth.cli.text.SafeText;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Names and addresses by which clients reach this machine.
 *
 * @param names the first is the one that people use
 */
record MachineHosts(List<String> names, List<InetAddress> addresses) {

    private static final Pattern NAME =
            Pattern.compile("(\\*\\.)?([a-z0-9_-]+\\.)*[a-z0-9-]*[a-z][a-z0-9-]*");
    private static final Pattern ADDRESS =
            Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    /**
     * @param further names and addresses that the machine does not know itself
     */
    static MachineHosts find(List<String> further) throws IOException {
        var names = new LinkedHashSet<String>();
        var addresses = new LinkedHashSet<InetAddress>();
        for (var host : further) {
            if (ADDRESS.matcher(host).matches()) {
                addresses.add(address(host));
            } else {
                names.add(name(host));
            }
        }
        addOwn(names, addresses);
        return new MachineHosts(List.copyOf(names), List.copyOf(addresses));
    }

    private static String name(String host) {
        var name = host.toLowerCase(Locale.ROOT);
        if (name.length() > 253 || !NAME.matcher(name).matches()) {
            throw new UsageError("--name is a host name or an address, not " + SafeText.line(host));
        }
        return name;
    }

    /** The text is an address, so no name is looked up. */
    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (IOException _) {
            throw new UsageError("--name: " + SafeText.line(text) + " is no address");
        }
    }

    private static void addOwn(LinkedHashSet<String> names, LinkedHashSet<InetAddress> addresses)
            throws IOException {
        var own = InetAddress.getLocalHost();
        for (var name : List.of(own.getHostName(), own.getCanonicalHostName(), "localhost")) {
            var lower = name.toLowerCase(Locale.ROOT);
            if (NAME.matcher(lower).matches()) {
                names.add(lower);
            }
        }
        addresses.add(InetAddress.getByName("127.0.0.1"));
        addresses.add(InetAddress.getByName("::1"));
        NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .map(MachineHosts::withoutInterface)
                .forEach(addresses::add);
    }

    private static InetAddress withoutInterface(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (IOException e) {
            throw new IllegalStateException("it has the length of an address", e);
        }
    }
}
