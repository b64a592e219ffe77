package dev.berth.node.gpu;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The PCI address of a GPU. The kernel, NVML and nvidia-smi write the same address with different
 * widths.
 */
record PciAddress(long domain, int bus, int device) {

    private static final Pattern WRITTEN =
            Pattern.compile(
                    "([0-9a-fA-F]{1,8}):([0-9a-fA-F]{1,2}):([0-9a-fA-F]{1,2})(?:\\.[0-7])?");

    static Optional<PciAddress> parse(String text) {
        var match = WRITTEN.matcher(text);
        return match.matches()
                ? Optional.of(
                        new PciAddress(
                                Long.parseLong(match.group(1), 16),
                                Integer.parseInt(match.group(2), 16),
                                Integer.parseInt(match.group(3), 16)))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return "%04x:%02x:%02x".formatted(domain, bus, device);
    }
}
