package dev.berth.cli.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.json.WireJson;
import dev.berth.jsontext.JsonParser;
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

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;

/** Every record that the server's JSON mapper writes is read back as an equal record. */
class WireReaderTest {

    @Test
    void everyFieldOfATaskIsReadAsItself() throws Exception {
        same(TaskSummary.class, WireReader::taskSummary);
        same(TaskDetail.class, WireReader::taskDetail);
    }

    @Test
    void everyFieldOfTheRestIsReadAsItself() throws Exception {
        same(TaskLog.class, WireReader::taskLog);
        same(Problem.class, WireReader::problem);
        same(Health.class, WireReader::health);
    }

    @Test
    void everyFieldOfTheQueueIsReadAsItself() throws Exception {
        same(Queue.class, WireReader::queue);
        same(QueuePosition.class, WireReader::queuePosition);
        same(Scheduler.class, WireReader::scheduler);
        same(ExperimentDone.class, WireReader::experimentDone);
        same(ExperimentRefused.class, WireReader::experimentRefused);
    }

    @Test
    void everyFieldOfARunIsReadAsItself() throws Exception {
        same(RunState.class, WireReader::runState);
        same(CleanupList.class, WireReader::cleanupList);
    }

    @Test
    void aRunWithoutProblemsHasNoneToTell() throws Exception {
        assertThat(WireReader.runState(JsonParser.parse("{\"pid\":3}")).problems()).isEmpty();
        assertThat(WireReader.runState(JsonParser.parse("{\"problems\":[]}")).problems()).isEmpty();
        assertThat(
                        WireReader.runState(JsonParser.parse("{\"problems\":[7,{\"line\":2}]}"))
                                .problems())
                .hasSize(2);
        assertThat(WireReader.runState(null).queues()).isEmpty();
    }

    @Test
    void everyFieldOfAPlacementIsReadAsItself() throws Exception {
        same(Placement.class, WireReader::placement);
    }

    @Test
    void aQueueWithoutAnythingInItReadsAsEmpty() throws Exception {
        Queue queue = WireReader.queue(JsonParser.parse("{\"paused\":null,\"lines\":[7]}"));
        assertThat(queue.paused()).isNull();
        assertThat(queue.longestWaitSeconds()).isNull();
        assertThat(queue.priorities()).isEmpty();
        assertThat(queue.lines().getFirst().tasks()).isEmpty();
        Placement placement = WireReader.placement(JsonParser.parse("{\"gpus\":[{}]}"));
        assertThat(placement.gpus().getFirst().refusal()).isNull();
        assertThat(placement.gpus().getFirst().scores()).isEmpty();
    }

    @Test
    void everyFieldOfEveryRecordIsReadAsItself() throws Exception {
        int records = 0;
        for (Method method : WireReader.class.getMethods()) {
            if (method.getReturnType().isRecord()) {
                Class<? extends Record> type = method.getReturnType().asSubclass(Record.class);
                same(type, json -> call(method, json));
                records++;
            }
        }
        assertThat(records).isGreaterThan(30);
    }

    private static Record call(Method method, Object json) {
        try {
            return (Record) method.invoke(null, json);
        } catch (ReflectiveOperationException failure) {
            throw new AssertionError(failure);
        }
    }

    private static <T extends Record> void same(
            Class<T> type, Function<Object, ? extends Record> reader) throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            T record = type.cast(filled(type, random, 0));
            Object json = JsonParser.parse(written(record));
            assertThat(reader.apply(json)).as("seed %d", seed).isEqualTo(record);
        }
    }

    @Test
    void anUnknownFieldIsNotLookedAtAndAMissingOneReadsAsNothing() throws Exception {
        TaskSummary task = WireReader.taskSummary(JsonParser.parse("{\"id\":7,\"new_in_9_0\":{}}"));
        assertThat(task.id()).isEqualTo(7);
        assertThat(task.name()).isEmpty();
        assertThat(task.gpuRequest().gpuCount()).isZero();
        assertThat(task.assignedGpus()).isNull();
        assertThat(task.result().exitCode()).isNull();
    }

    @Test
    void aFieldOfTheWrongTypeReadsAsNothing() throws Exception {
        TaskSummary task =
                WireReader.taskSummary(
                        JsonParser.parse(
                                "{\"id\":\"x\",\"name\":5,\"gpu_count\":1.5,\"memory_gb\":\"2\","
                                        + "\"assigned_gpus\":[0,\"a\",1e3]}"));
        assertThat(task.id()).isZero();
        assertThat(task.name()).isEmpty();
        assertThat(task.gpuRequest().gpuCount()).isZero();
        assertThat(task.gpuLimits().memoryGb()).isNull();
        assertThat(task.assignedGpus()).containsExactly(0);
        assertThat(WireReader.taskSummary(null).id()).isZero();
        assertThat(WireReader.problem(JsonParser.parse("[1]")).detail()).isEmpty();
    }

    private static String written(Object body) {
        return new String(WireJson.write(body), StandardCharsets.UTF_8);
    }

    private static Object filled(Type type, Random random, int depth) throws Exception {
        if (type == String.class || type == Object.class) {
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
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() == Map.class) {
            Type value = generic.getActualTypeArguments()[1];
            return Map.of("key " + random.nextInt(), filled(value, random, depth + 1));
        }
        if (type instanceof ParameterizedType generic) {
            List<Object> list = new ArrayList<>();
            Type element = generic.getActualTypeArguments()[0];
            // A nullable list of strings that is empty reads as null; records must not nest for
            // ever.
            boolean isEmpty = depth > 2 && element != String.class;
            for (int size = isEmpty ? 0 : 1 + random.nextInt(2); size > 0; size--) {
                list.add(filled(element, random, depth + 1));
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
