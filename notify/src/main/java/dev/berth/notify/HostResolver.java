package dev.berth.notify;

import dev.berth.config.receiver.AddressPolicy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Resolves the host of a receiver, and refuses it if {@link AddressPolicy} forbids an address. */
final class HostResolver {

    private HostResolver() {}

    /** All addresses of a host; fails if a single one is forbidden. */
    static List<InetAddress> allowedAddresses(String host, Duration limit)
            throws DeliveryException {
        var forbidden = AddressPolicy.refusalReason(host);
        if (forbidden.isPresent()) {
            throw new DeliveryException(host + " is refused: " + forbidden.get());
        }
        var found = resolve(host, limit);
        for (var address : found) {
            var why = AddressPolicy.refusalReason(address);
            if (why.isPresent()) {
                throw new DeliveryException(
                        host
                                + " is refused: its address "
                                + AddressPolicy.text(address)
                                + ": "
                                + why.get());
            }
        }
        return found;
    }

    /** Uses a separate thread: some resolvers are slow and cannot be interrupted. */
    private static List<InetAddress> resolve(String host, Duration limit) throws DeliveryException {
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
            return found.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException _) {
            throw new DeliveryException("there is no host " + host);
        } catch (TimeoutException _) {
            throw new DeliveryException("looking up " + host + " took too long");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new DeliveryException("interrupted");
        }
    }
}
