package dev.berth.server.api.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/**
 * The machine this server runs on.
 *
 * @param addresses at which other machines may reach it
 */
public record HostMachine(List<String> addresses, String hostname, String system) {

    private static final Logger log = LoggerFactory.getLogger(HostMachine.class);

    /** Read from the kernel: Java would ask the name servers. */
    private static final Path HOSTNAME = Path.of("/proc/sys/kernel/hostname");

    public static HostMachine now() {
        return new HostMachine(
                readAddresses(),
                readHostname(),
                System.getProperty("os.name", "unknown")
                        + " "
                        + System.getProperty("os.version", "")
                        + " "
                        + System.getProperty("os.arch", ""));
    }

    private static List<String> readAddresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(one -> !one.isLoopbackAddress() && !one.isLinkLocalAddress())
                    .sorted(
                            Comparator.comparing(
                                            (InetAddress one) -> !(one instanceof Inet4Address))
                                    .thenComparing(InetAddress::getHostAddress))
                    .map(one -> one.getHostAddress().replaceFirst("%.*", ""))
                    .distinct()
                    .toList();
        } catch (SocketException e) {
            log.warn("the machine's addresses cannot be read: {}", e.getMessage());
            return List.of();
        }
    }

    private static String readHostname() {
        try {
            return Files.readString(HOSTNAME).strip();
        } catch (IOException e) {
            log.warn("the machine's name cannot be read: {}", e.toString());
            return "unknown";
        }
    }
}
