package dev.berth.server.api.people;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.core.task.Owner;
import dev.berth.port.Fact;
import dev.berth.port.read.Accounts;
import dev.berth.server.TestServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

class GroupReaderTest {

    private static final Owner ANN = Owner.unix("ann");

    private final Map<String, List<String>> groups = new ConcurrentHashMap<>();
    private final List<Fact> facts = new CopyOnWriteArrayList<>();
    private final ExecutorService lookups = Executors.newSingleThreadExecutor();
    private volatile boolean isFailing;
    private TestServer server;
    private GroupReader reader;

    @BeforeEach
    void open() throws Exception {
        server = TestServer.open();
        reader =
                new GroupReader(
                        new ListedAccounts(),
                        server.engine::state,
                        fact -> {
                            facts.add(fact);
                            server.engine.observe(fact);
                        },
                        lookups);
    }

    @AfterEach
    void close() throws Exception {
        lookups.shutdownNow();
        server.close();
    }

    private final class ListedAccounts implements Accounts {
        @Override
        public Optional<Account> named(String user) throws IOException {
            if (isFailing) {
                throw new IOException("no answer");
            }
            return Optional.ofNullable(groups.get(user))
                    .map(
                            names ->
                                    new Account(
                                            user,
                                            1,
                                            1,
                                            Path.of("/"),
                                            Path.of("/bin/sh"),
                                            List.of(1),
                                            names));
        }

        @Override
        public Optional<Account> withUid(int uid) {
            return Optional.empty();
        }

        @Override
        public boolean hasGroup(String name) {
            return groups.values().stream().anyMatch(names -> names.contains(name));
        }
    }

    @Test
    void theGroupsOfANewUserAreReadOnceBeforeItsTask() {
        groups.put("ann", List.of("vision", "staff"));
        reader.require(ANN);
        assertThat(facts).hasSize(1);
        // A request that follows is decided after the fact.
        server.submit(TestServer.cpuTask("one"));
        assertThat(server.engine.state().durable().groups().of(ANN))
                .isEqualTo(new TreeSet<>(List.of("staff", "vision")));
        reader.require(ANN);
        assertThat(facts).hasSize(1);
    }

    @Test
    void groupsAreReadAgainAndStayWhileTheServicesDoNotAnswer() {
        groups.put("ann", List.of("vision"));
        reader.require(ANN);
        server.submit(TestServer.cpuTask("one"));
        isFailing = true;
        reader.refresh();
        assertThat(facts).hasSize(1);
        isFailing = false;
        groups.put("ann", List.of("other"));
        reader.refresh();
        server.submit(TestServer.cpuTask("two"));
        assertThat(server.engine.state().durable().groups().of(ANN)).containsExactly("other");
    }

    @Test
    void aUserWithoutAnAccountHasNoGroups() {
        reader.require(Owner.unix("nobody"));
        reader.require(new Owner("other:ann", "ann"));
        assertThat(facts).isEmpty();
    }
}
