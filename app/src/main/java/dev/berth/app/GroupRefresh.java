package dev.berth.app;

import dev.berth.config.Configuration;
import dev.berth.core.task.Owner;
import dev.berth.engine.EngineLoop;
import dev.berth.engine.EngineState;
import dev.berth.node.linux.LocalAccounts;
import dev.berth.port.read.Accounts;
import dev.berth.server.api.people.GroupReader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Keeps the groups of users up to date: those of a new user are read before its first task is
 * added, all others every five minutes.
 */
final class GroupRefresh implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GroupRefresh.class);

    private static final Duration EVERY = Duration.ofMinutes(5);

    /** One for the timer, one for a submit. */
    private static final int THREADS = 2;

    /** Empty if they are those of the server, which closes them. */
    private final Optional<LocalAccounts> own;

    private final ScheduledExecutorService threads =
            Executors.newScheduledThreadPool(
                    THREADS, Thread.ofPlatform().daemon().name("groups-", 1).factory());
    private final GroupReader reader;
    private final BooleanSupplier isNeeded;

    private GroupRefresh(EngineLoop loop, Optional<Accounts> accounts, BooleanSupplier isNeeded) {
        this.isNeeded = isNeeded;
        this.own = accounts.isPresent() ? Optional.empty() : Optional.of(new LocalAccounts());
        var asked = accounts.orElseGet(own::orElseThrow);
        this.reader = new GroupReader(asked, loop::state, loop::observe, threads);
    }

    /** Whether a rule of the configuration or a reservation names a group. */
    private static boolean isNeeded(EngineState state, Configuration configuration) {
        var shares = configuration.scheduling().shares();
        return !shares.groupWeights().isEmpty()
                || !shares.limits().groups().isEmpty()
                || !state.durable().reservations().isEmpty();
    }

    /**
     * @param accounts those that the server asks for; a personal server asks for none
     */
    static GroupRefresh start(
            EngineLoop loop, Optional<Accounts> accounts, Supplier<Configuration> now) {
        // Users of a machine see the groups of each other.
        var refresh =
                new GroupRefresh(
                        loop,
                        accounts,
                        () -> accounts.isPresent() || isNeeded(loop.state(), now.get()));
        var _ =
                refresh.threads.scheduleWithFixedDelay(
                        refresh::readAll, 0, EVERY.toSeconds(), TimeUnit.SECONDS);
        return refresh;
    }

    /** An exception would end the timer. */
    private void readAll() {
        try {
            if (isNeeded.getAsBoolean()) {
                reader.refresh();
            }
        } catch (RuntimeException e) {
            log.error("the groups of users could not be read", e);
        }
    }

    void beforeSubmit(Owner owner) {
        if (isNeeded.getAsBoolean()) {
            reader.require(owner);
        }
    }

    /** A look-up is not awaited: the name services may not answer. */
    @Override
    public void close() {
        threads.shutdownNow();
        own.ifPresent(LocalAccounts::close);
    }
}
