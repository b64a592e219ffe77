package dev.berth.cli.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.wire.CleanupList;
import dev.berth.wire.ExperimentDone;
import dev.berth.wire.ExperimentRefused;
import dev.berth.wire.Health;
import dev.berth.wire.Placement;
import dev.berth.wire.Problem;
import dev.berth.wire.Queue;
import dev.berth.wire.QueuePosition;
import dev.berth.wire.RunState;
import dev.berth.wire.Scheduler;
import dev.berth.wire.TaskDetail;
import dev.berth.wire.TaskLog;
import dev.berth.wire.TaskSummary;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** Whatever the server's own way of writing its records makes, is read back as the same record. */
class WireReaderTest {

    /** Each capital begins a word: {@code structureNAtoms} is {@code structure_n_atoms}. */
    private static final class SnakeCase extends PropertyNamingStrategies.NamingBase {
        private static final long serialVersionUID = 1;

        @Override
        public String translate(String name) {
            StringBuilder snake = new StringBuilder();
            for (int at = 0; at < name.length(); at++) {
                char letter = name.charAt(at);
                snake.append(Character.isUpperCase(letter) ? "_" : "");
                snake.append(Character.toLowerCase(letter));
            }
            return snake.toString();
        }
    }

    private static final JsonMapper SERVERS =
            JsonMapper.builder().propertyNamingStrategy(new SnakeCase()).build();

    @Test
    void everyFieldOfATaskIsReadAsItself() throws Exception {
        same(TaskSummary.class, WireReader::summary);
        same(TaskDetail.class, WireReader::detail);
    }

    @Test
    void everyFieldOfTheRestIsReadAsItself() throws Exception {
        same(TaskLog.class, WireReader::log);
        same(Problem.class, WireReader::problem);
        same(Health.class, WireReader::health);
    }

    @Test
    void everyFieldOfTheQueueIsReadAsItself() throws Exception {
        same(Queue.class, QueueReader::queue);
        same(QueuePosition.class, QueueReader::position);
        same(Scheduler.class, QueueReader::scheduler);
        same(ExperimentDone.class, QueueReader::done);
        same(ExperimentRefused.class, QueueReader::refused);
    }

    @Test
    void everyFieldOfARunIsReadAsItself() throws Exception {
        same(RunState.class, RunReader::run);
        same(CleanupList.class, RunReader::cleanup);
    }

    @Test
    void aRunWithoutProblemsHasNoneToTell() throws Exception {
        assertThat(RunReader.run(Json.read("{\"pid\":3}")).problems()).isNull();
        assertThat(RunReader.run(Json.read("{\"problems\":[]}")).problems()).isEmpty();
        assertThat(RunReader.problems(Json.read("{\"problems\":[7,{\"line\":2}]}"))).hasSize(2);
        assertThat(RunReader.run(null).queues()).isEmpty();
    }

    @Test
    void everyFieldOfAPlacementIsReadAsItself() throws Exception {
        same(Placement.class, PlacementReader::placement);
    }

    @Test
    void aQueueWithoutAnythingInItReadsAsEmpty() throws Exception {
        Queue queue = QueueReader.queue(Json.read("{\"paused\":null,\"lines\":[7]}"));
        assertThat(queue.paused()).isNull();
        assertThat(queue.longestWaitSeconds()).isNull();
        assertThat(queue.priorities()).isEmpty();
        assertThat(queue.lines().getFirst().tasks()).isEmpty();
        Placement placement = PlacementReader.placement(Json.read("{\"gpus\":[{}]}"));
        assertThat(placement.gpus().getFirst().refusal()).isNull();
        assertThat(placement.gpus().getFirst().scores()).isEmpty();
    }

    private static <T extends Record> void same(Class<T> type, Function<Object, T> reader)
            throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            T record = type.cast(filled(type, random, 0));
            Object json = Json.read(SERVERS.writeValueAsString(record));
            assertThat(reader.apply(json)).as("seed %d", seed).isEqualTo(record);
        }
    }

    @Test
    void anUnknownFieldIsNotLookedAtAndAMissingOneReadsAsNothing() throws Exception {
        TaskSummary task = WireReader.summary(Json.read("{\"id\":7,\"new_in_9_0\":{}}"));
        assertThat(task.id()).isEqualTo(7);
        assertThat(task.name()).isEmpty();
        assertThat(task.gpuCount()).isZero();
        assertThat(task.assignedGpus()).isNull();
        assertThat(task.exitCode()).isNull();
    }

    @Test
    void aFieldOfTheWrongTypeReadsAsNothing() throws Exception {
        TaskSummary task =
                WireReader.summary(
                        Json.read(
                                "{\"id\":\"x\",\"name\":5,\"gpu_count\":1.5,\"memory_gb\":\"2\","
                                        + "\"assigned_gpus\":[0,\"a\",1e3]}"));
        assertThat(task.id()).isZero();
        assertThat(task.name()).isEmpty();
        assertThat(task.gpuCount()).isZero();
        assertThat(task.memoryGb()).isNull();
        assertThat(task.assignedGpus()).containsExactly(0);
        assertThat(WireReader.summary(null).id()).isZero();
        assertThat(WireReader.problem(Json.read("[1]")).detail()).isEmpty();
    }

    private static Object filled(Type type, Random random, int depth) throws Exception {
        if (type == String.class) {
            return "text " + random.nextInt(1_000_000);
        }
        if (type == long.class || type == Long.class) {
            return random.nextLong(1L << 40);
        }
        if (type == int.class || type == Integer.class) {
            return random.nextInt(1_000_000);
        }
        if (type == double.class || type == Double.class) {
            return random.nextInt(1000) / 16.0;
        }
        if (type == boolean.class) {
            return random.nextBoolean();
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
            Type value = generic.getActualTypeArguments()[1];
            return Map.of("key " + random.nextInt(), filled(value, random, depth + 1));
        }
        if (type instanceof ParameterizedType generic) {
            List<Object> list = new ArrayList<>();
            // A health without problems is written without the list.
            for (int size = depth > 2 ? 0 : 1 + random.nextInt(2); size > 0; size--) {
                list.add(filled(generic.getActualTypeArguments()[0], random, depth + 1));
            }
            return list;
        }
        Class<?> record = (Class<?>) type;
        RecordComponent[] components = record.getRecordComponents();
        Object[] values = new Object[components.length];
        Class<?>[] types = new Class<?>[components.length];
        for (int index = 0; index < components.length; index++) {
            types[index] = components[index].getType();
            values[index] = filled(components[index].getGenericType(), random, depth + 1);
        }
        return record.getDeclaredConstructor(types).newInstance(values);
    }
}
