package dev.berth.nodesocket.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.nodesocket.message.FromNode;
import dev.berth.nodesocket.message.Protocol;
import dev.berth.nodesocket.message.ToNode;
import dev.berth.port.Fact;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

class ValueCodecTest {

    private static final int SEEDS = 3000;
    private static final Set<Class<?>> NOT_SENT = Set.of(Fact.OfServer.class);

    record Tree(String name, List<Tree> children, Optional<Tree> best) {}

    private static final ValueCodec<Tree> TREES = ValueCodec.of(Tree.class, Set.of());

    @Test
    void everyMessageIsReadAsItWasWritten() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            var values = new RandomValues(seed, NOT_SENT);
            var order = (ToNode) values.of(ToNode.class);
            var bytes = Protocol.TO_NODE.encode(order);
            assertThat(Protocol.TO_NODE.encode(Protocol.TO_NODE.decode(bytes)))
                    .as("seed %d: %s", seed, order)
                    .isEqualTo(bytes);
            var report = (FromNode) values.of(FromNode.class);
            var back = Protocol.FROM_NODE.encode(report);
            assertThat(Protocol.FROM_NODE.encode(Protocol.FROM_NODE.decode(back)))
                    .as("seed %d: %s", seed, report)
                    .isEqualTo(back);
        }
    }

    @Test
    void damagedMessagesAreRefusedOrAreOtherMessages() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            var random = new Random(seed);
            var bytes =
                    Protocol.TO_NODE.encode(
                            (ToNode) new RandomValues(seed, NOT_SENT).of(ToNode.class));
            for (int i = random.nextInt(4); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            var damaged =
                    random.nextBoolean()
                            ? bytes
                            : Arrays.copyOf(bytes, random.nextInt(bytes.length + 3));
            try {
                assertThat(Protocol.TO_NODE.decode(damaged)).isNotNull();
            } catch (MalformedMessage refused) {
                assertThat(refused).as("seed %d", seed).hasMessageContaining(" ");
            }
        }
    }

    @Test
    void announcedLengthsReserveNoMemory() {
        var out = new ByteWriter();
        out.writeText("root");
        out.writeUnsigned(Integer.MAX_VALUE);
        assertThatThrownBy(() -> TREES.decode(out.toArray()))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("length");
    }

    @Test
    void deepValuesAreRefused() {
        var tree = new Tree("leaf", List.of(), Optional.empty());
        for (int i = 0; i < 100; i++) {
            tree = new Tree("node", List.of(tree), Optional.empty());
        }
        var bytes = TREES.encode(tree);
        assertThatThrownBy(() -> TREES.decode(bytes))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("deeply");
    }

    @Test
    void aRecordThatRefusesItsValuesIsMalformed() {
        // The number of an attempt is 1 or more.
        var stop =
                Protocol.TO_NODE.encode(new ToNode.Stop(dev.berth.core.id.AttemptId.parse("7.1")));
        stop[stop.length - 1] = 0;
        assertThatThrownBy(() -> Protocol.TO_NODE.decode(stop))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("AttemptId");
    }

    @Test
    void bytesAfterAMessageAreRefused() {
        var bytes = TREES.encode(new Tree("a", List.of(), Optional.empty()));
        assertThatThrownBy(() -> TREES.decode(Arrays.copyOf(bytes, bytes.length + 1)))
                .isInstanceOf(MalformedMessage.class)
                .hasMessageContaining("follow");
    }

    @Test
    void factsOfTheServerCannotBeReported() {
        var fact = new FromNode.Reported(new Fact.BackupFailed("full"));
        assertThatThrownBy(() -> Protocol.FROM_NODE.encode(fact))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void typesOutsideOfTheProtocolCannotBeSent() {
        record Open(Object anything) {}
        assertThatThrownBy(() -> ValueCodec.of(Open.class, Set.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Object");
    }

    @Test
    void theShapeChangesWithAComponent() {
        record Before(int a) {}
        record After(long a) {}
        assertThat(ValueCodec.of(Before.class, Set.of()).shape())
                .isNotEqualTo(ValueCodec.of(After.class, Set.of()).shape());
    }
}
