package dev.berth.node.shim;

import dev.berth.core.gpu.GpuId;
import dev.berth.core.id.AttemptId;
import dev.berth.core.id.TaskId;
import dev.berth.core.lane.Lane;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.Claim;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Phase;
import dev.berth.core.task.Priority;
import dev.berth.core.task.Requirements;
import dev.berth.core.task.RunAs;
import dev.berth.core.task.Script;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.jsontext.JsonParser;
import dev.berth.port.Node;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** The JSON form of an {@link AttemptHeader}. A value of another form is a RuntimeException. */
final class HeaderJson {

    private HeaderJson() {}

    static Map<String, @Nullable Object> write(AttemptHeader header) {
        var attempt = header.attempt();
        var fields = new LinkedHashMap<String, @Nullable Object>();
        fields.put("task", attempt.id().task().value());
        fields.put("attempt", attempt.id().number());
        fields.put("node", attempt.node());
        fields.put("epoch", attempt.epoch());
        fields.put("boot", attempt.bootId());
        fields.put("scheduled", attempt.scheduledAt().toString());
        fields.put("claims", attempt.claims().stream().map(HeaderJson::claim).toList());
        fields.put("principal", header.submission().owner().principal());
        fields.put("user", header.submission().owner().name());
        fields.put("created", header.submission().createdAt().toString());
        fields.put("retries", header.submission().retries());
        putSpec(fields, header.spec());
        return fields;
    }

    private static List<Object> claim(Claim claim) {
        return List.of(
                claim.gpu().node(), claim.gpu().uuid(), claim.memoryMib(), claim.isExclusive());
    }

    private static void putSpec(Map<String, @Nullable Object> fields, TaskSpec spec) {
        var options = spec.options();
        fields.put("name", spec.name());
        fields.put("source", spec.source().name());
        fields.put("work_dir", spec.script().workDir());
        spec.script()
                .text()
                .runAs()
                .ifPresent(account -> fields.put("run_as", List.of(account.user(), account.uid())));
        fields.put("priority", options.priority().name());
        options.timeLimit().ifPresent(limit -> fields.put("time_limit", limit.toString()));
        options.maxRetries().ifPresent(count -> fields.put("max_retries", count));
        // The queues of a command file exist only together with its run.
        options.lane()
                .filter(Lane.Named.class::isInstance)
                .ifPresent(lane -> fields.put("lane", lane.apiName()));
        if (spec.requirements().need() instanceof Need.Gpus gpus) {
            fields.put("gpus", List.of(gpus.count().min(), gpus.count().max()));
            gpus.type().ifPresent(type -> fields.put("gpu_type", type));
            gpus.devices().ifPresent(devices -> fields.put("devices", devices.apiName()));
            gpus.memory().mib().ifPresent(mib -> fields.put("memory_mib", mib));
            fields.put("shared", gpus.memory().isShared());
        }
        spec.requirements()
                .work()
                .ifPresent(
                        work -> {
                            work.model().ifPresent(model -> fields.put("model", model));
                            work.kind().ifPresent(kind -> fields.put("task_type", kind));
                            fields.put("atoms", work.atoms());
                        });
    }

    static AttemptHeader read(@Nullable Object json) {
        if (!(json instanceof Map<?, ?> fields)) {
            throw new IllegalArgumentException("not an object");
        }
        var id =
                new AttemptId(
                        new TaskId(number(fields, "task").orElseThrow()),
                        smallNumber(fields, "attempt").orElseThrow());
        var attempt =
                new Attempt(
                        id,
                        text(fields, "node").orElseThrow(),
                        number(fields, "epoch").orElseThrow(),
                        text(fields, "boot").orElseThrow(),
                        list(fields, "claims").stream().map(HeaderJson::readClaim).toList(),
                        Instant.parse(text(fields, "scheduled").orElseThrow()),
                        new Phase.Starting());
        var owner =
                new Owner(
                        text(fields, "principal").orElseThrow(),
                        text(fields, "user").orElseThrow());
        var submission =
                new Node.Submission(
                        owner,
                        Instant.parse(text(fields, "created").orElseThrow()),
                        smallNumber(fields, "retries").orElse(0));
        var spec = spec(fields);
        return new AttemptHeader(
                spec.isWorker() ? attempt.withWorker(id) : attempt, spec, submission);
    }

    private static TaskSpec spec(Map<?, ?> fields) {
        var options =
                new TaskOptions(
                        Priority.valueOf(text(fields, "priority").orElseThrow()),
                        text(fields, "time_limit").map(Duration::parse),
                        text(fields, "lane").map(Lane.Named::new),
                        smallNumber(fields, "max_retries"));
        return new TaskSpec(
                text(fields, "name").orElseThrow(),
                TaskSource.valueOf(text(fields, "source").orElseThrow()),
                new Script.Text(
                        "",
                        text(fields, "work_dir").orElseThrow(),
                        Collections.emptySortedMap(),
                        runAs(fields)),
                new Requirements(need(fields), work(fields)),
                options);
    }

    /** The shell of the submit is not in the header: it may be long. */
    private static Optional<RunAs> runAs(Map<?, ?> fields) {
        var parts = list(fields, "run_as");
        return parts.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new RunAs(
                                (String) parts.getFirst(),
                                Math.toIntExact(asNumber(parts.getLast())),
                                Optional.empty()));
    }

    private static Need need(Map<?, ?> fields) {
        var count = list(fields, "gpus").stream().map(HeaderJson::asNumber).toList();
        if (count.isEmpty()) {
            return Need.CPU;
        }
        return new Need.Gpus(
                new Need.GpuCount(
                        Math.toIntExact(count.getFirst()), Math.toIntExact(count.getLast())),
                text(fields, "gpu_type"),
                text(fields, "devices").map(GpuIndices::parse),
                new Need.GpuMemory(
                        number(fields, "memory_mib"), Boolean.TRUE.equals(fields.get("shared"))));
    }

    private static Optional<ModelWork> work(Map<?, ?> fields) {
        var atoms = smallNumber(fields, "atoms");
        return atoms.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new ModelWork(
                                text(fields, "model"),
                                text(fields, "task_type"),
                                atoms.getAsInt()));
    }

    private static Claim readClaim(@Nullable Object json) {
        if (!(json instanceof List<?> parts) || parts.size() != 4) {
            throw new IllegalArgumentException("not a claim");
        }
        return new Claim(
                new GpuId((String) parts.get(0), (String) parts.get(1)),
                asNumber(parts.get(2)),
                Boolean.TRUE.equals(parts.get(3)));
    }

    private static Optional<String> text(Map<?, ?> fields, String name) {
        return Optional.ofNullable((String) fields.get(name));
    }

    private static List<?> list(Map<?, ?> fields, String name) {
        return fields.get(name) instanceof List<?> list ? list : List.of();
    }

    private static OptionalLong number(Map<?, ?> fields, String name) {
        var value = fields.get(name);
        return value == null ? OptionalLong.empty() : OptionalLong.of(asNumber(value));
    }

    private static OptionalInt smallNumber(Map<?, ?> fields, String name) {
        var value = fields.get(name);
        return value == null
                ? OptionalInt.empty()
                : OptionalInt.of(Math.toIntExact(asNumber(value)));
    }

    private static long asNumber(@Nullable Object value) {
        if (!(value instanceof JsonParser.JsonNumber(var text))) {
            throw new IllegalArgumentException("not a number");
        }
        return Long.parseLong(text);
    }
}
