package dev.berth.server.api.people;

import dev.berth.core.task.Owner;
import dev.berth.engine.EngineState;
import dev.berth.port.Fact;
import dev.berth.port.read.Accounts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads the groups of users from the machine's name services and reports them to the engine, which
 * stores them. While the services do not answer, the groups of the last answer apply.
 */
public final class GroupReader {

    private static final Logger log = LoggerFactory.getLogger(GroupReader.class);

    /** A submit waits no longer for the groups of a new user. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final String UNIX = "unix:";

    private final Accounts accounts;
    private final Supplier<EngineState> state;
    private final Consumer<Fact> engine;
    private final ExecutorService lookups;

    /**
     * @param lookups platform threads: a look-up may block for long
     */
    public GroupReader(
            Accounts accounts,
            Supplier<EngineState> state,
            Consumer<Fact> engine,
            ExecutorService lookups) {
        this.accounts = accounts;
        this.state = state;
        this.engine = engine;
        this.lookups = lookups;
    }

    /** Reads the groups of a user whose groups are not known yet, before a task of it is added. */
    public void require(Owner owner) {
        if (state.get().durable().groups().byPrincipal().contains(owner.principal())
                || !owner.principal().startsWith(UNIX)) {
            return;
        }
        try {
            lookups.submit(() -> read(new TreeSet<>(List.of(owner.principal()))))
                    .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException | RejectedExecutionException _) {
            log.warn("the groups of {} are not known yet", owner.name());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            throw new IllegalStateException("groups could not be read", e);
        }
    }

    /** Reads the groups of all known users again. */
    public void refresh() {
        var now = state.get();
        var known = new TreeSet<String>();
        now.durable().groups().byPrincipal().forEach(entry -> known.add(entry.getKey()));
        now.durable().usage().accounts().forEach(entry -> known.add(entry.getKey()));
        now.waiting().countsByPrincipal().counts().forEach(entry -> known.add(entry.getKey()));
        read(known);
    }

    private void read(SortedSet<String> principals) {
        var found = new TreeMap<String, SortedSet<String>>();
        for (var principal : principals) {
            if (!principal.startsWith(UNIX)) {
                continue;
            }
            try {
                accounts.named(principal.substring(UNIX.length()))
                        .ifPresent(
                                account -> found.put(principal, new TreeSet<>(account.groups())));
            } catch (IOException e) {
                log.warn("the groups of {} could not be read: {}", principal, e.getMessage());
            }
        }
        if (!found.isEmpty()) {
            engine.accept(new Fact.GroupsRead(found));
        }
    }
}
