package dev.berth.node.shim;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.berth.core.task.ShellContext;
import dev.berth.core.task.TaskOptions;
import dev.berth.core.task.TaskSource;
import dev.berth.core.task.TaskSpec;
import dev.berth.port.Node;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What {@code berth recover} reads back from the scripts of an attempt. */
class AttemptHeaderTest {

    private static final Instant NOON = Instant.parse("2031-05-06T12:00:00.123456Z");

    @Test
    void everythingButTheCommandIsReadBack() {
        var full =
                new TaskSpec(
                        "name \"with\"\nlines 号",
                        TaskSource.API,
                        Script.of("", "/home/alice"),
                        new Requirements(
                                new Need.Gpus(
                                        new Need.GpuCount(2, 4),
                                        Optional.of("H200"),
                                        Optional.of(GpuIndices.of(0, 3)),
                                        new Need.GpuMemory(OptionalLong.of(4096), true)),
                                Optional.of(new ModelWork(Optional.of("m"), Optional.empty(), 7))),
                        new TaskOptions(
                                Priority.HIGH,
                                Optional.of(Duration.ofMinutes(3)),
                                Optional.of(new Lane.Named("lane")),
                                OptionalInt.of(2)));
        for (var spec : List.of(full, TaskSpec.of("cpu", "", Need.CPU, "/"))) {
            var header = header(spec);

            assertThat(AttemptHeader.find("#!/usr/bin/env bash\n" + header.line()))
                    .contains(header);
        }
    }

    @Test
    void theCommandIsNotInTheHeader() {
        var secret = TaskSpec.of("name", "echo secret", Need.CPU, "/");

        assertThat(header(secret).line()).doesNotContain("secret").startsWith("# ");
    }

    @Test
    void aDamagedOrLongHeaderIsNotUsed() {
        var line = header(TaskSpec.of("name", "", Need.CPU, "/")).line();
        var longName = header(TaskSpec.of("x".repeat(20_000), "", Need.CPU, "/"));

        assertThat(AttemptHeader.find(line.replace("\"task\"", "\"tusk\""))).isEmpty();
        assertThat(AttemptHeader.find(line.substring(0, line.length() / 2))).isEmpty();
        assertThat(longName.line()).isEmpty();
    }

    @Test
    void theAccountIsReadBackWithoutTheShell() {
        var shell =
                new ShellContext(
                        new TreeMap<>(Map.of("HF_TOKEN", "secret")), "022", new TreeMap<>());
        var plain = TaskSpec.of("cpu", "", Need.CPU, "/");
        var account = new RunAs("alice", 1001, Optional.of(shell));
        var line = header(plain.with(plain.script().text().withRunAs(account))).line();

        assertThat(line).doesNotContain("secret");
        assertThat(AttemptHeader.find(line).orElseThrow().spec().script().text().runAs())
                .contains(new RunAs("alice", 1001, Optional.empty()));
    }

    @Test
    void variablesAndCommandAreReadBackFromTheScripts() {
        var environment = new TreeMap<String, String>();
        environment.put("QUOTED", "it's 'so'");
        environment.put("LINES", "a\nb berth_run; }\nc");
        environment.put("EMPTY", "");
        var start =
                ShimScript.START_FUNCTION
                        + "EMPTY='' LINES="
                        + ShimScript.quoted(environment.get("LINES"))
                        + " QUOTED="
                        + ShimScript.quoted(environment.get("QUOTED"))
                        + " "
                        + ShimScript.START_CALL;

        assertThat(ScriptText.environment("#!/bin/bash\n" + start + "rest")).contains(environment);
        assertThat(ScriptText.environment("#!/bin/bash\nrest")).isEmpty();
        assertThat(ScriptText.command(ShimScript.FIRST_LINE + StartBanner.OF_SHIM + "echo 1\n"))
                .contains("echo 1\n");
        assertThat(ScriptText.command("#!/bin/bash\n" + StartBanner.OF_SHELL + "echo 1\n"))
                .contains("echo 1\n");
    }

    private static AttemptHeader header(TaskSpec spec) {
        var attempt =
                new Attempt(
                        new AttemptId(new TaskId(7), 2),
                        "local",
                        3,
                        "boot",
                        List.of(new Claim(new GpuId("local", "GPU-1"), 4096, true)),
                        NOON,
                        new Phase.Starting());
        return new AttemptHeader(attempt, spec, new Node.Submission(Owner.unix("alice"), NOON, 1));
    }
}
