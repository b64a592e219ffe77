package dev.berth.node;

import dev.berth.core.task.AttemptId;
import dev.berth.core.task.ProcessKey;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.Strays;
import dev.berth.engine.port.TaskLogs;
import dev.berth.node.card.CardWatch;
import dev.berth.node.linux.Pidfd;
import dev.berth.node.linux.Spawner;
import dev.berth.node.process.Cgroups;
import dev.berth.node.process.ExitWatcher;
import dev.berth.node.process.Marker;
import dev.berth.node.process.Proc;
import dev.berth.node.process.ProcessSet;
import dev.berth.node.process.ProcessTable;
import dev.berth.node.process.SearchPath;
import dev.berth.node.process.Signals;
import dev.berth.node.process.Sweep;
import dev.berth.node.process.Traces;
import dev.berth.node.process.Tracking;
import dev.berth.node.progress.ProgressWatch;
import dev.berth.node.shim.AttemptDirectory;
import dev.berth.node.shim.ShimScript;
import dev.berth.node.shim.Tools;
import dev.berth.node.window.Windows;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;

/** The tools that all attempts of a node share. */
final class Workshop implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Workshop.class);

    private final LocalNode.Settings settings;
    private final Failpoints failpoints;
    private final String bootId;
    private final String home;
    private final Spawner spawner = Spawner.ofThisMachine();
    private final ExitWatcher exits;
    private final Optional<Cgroups> cgroups;
    private final ProcessTable table;
    private final Sweep sweep;
    private final ShimScript script;
    private final Windows windows;
    private final Housekeeping housekeeping;
    private final ProgressWatch progress;
    private final CardWatch cards;
    private volatile Consumer<Fact> facts = _ -> {};

    private Workshop(LocalNode.Settings settings, Failpoints failpoints) throws IOException {
        this.settings = settings;
        this.failpoints = failpoints;
        this.bootId = Proc.bootId();
        this.home = marker(settings.tasks());
        this.exits = ExitWatcher.start();
        this.cgroups = Tracking.AUTO.choose(Cgroups.find());
        this.table = new ProcessTable(home);
        this.sweep = new Sweep(new Signals(Pidfd.supported()), System::nanoTime);
        var searchPath = SearchPath.of(System.getenv());
        this.script = new ShimScript(Tools.find(searchPath), umask(), settings.commands());
        this.windows = new Windows(settings.windows(), searchPath);
        this.housekeeping = new Housekeeping(settings, fact -> facts.accept(fact));
        this.progress =
                new ProgressWatch(
                        settings.stallAfter(), System::nanoTime, fact -> facts.accept(fact));
        this.cards =
                CardWatch.open(
                        settings.name(),
                        home,
                        settings.cards(),
                        id -> AttemptDirectory.of(settings.tasks(), id).consumption());
    }

    static Workshop open(LocalNode.Settings settings, Failpoints failpoints) throws IOException {
        var workshop = new Workshop(settings, failpoints);
        if (workshop.exits.isPolling()) {
            log.warn(
                    "this kernel has no pidfds: ends of tasks are noticed by looking once a"
                            + " second");
        }
        return workshop;
    }

    /** Another home on this host has another marker, also after this one was moved. */
    private static String marker(Path tasks) throws IOException {
        var place = Files.readAttributes(tasks, "unix:dev,ino");
        return HexFormat.of().toHexDigits(place.hashCode()) + "-" + place.get("ino");
    }

    private static String umask() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Umask:"))
                .map(line -> line.substring("Umask:".length()).strip())
                .findFirst()
                .orElse("0022");
    }

    void reportTo(Consumer<Fact> sink) {
        facts = sink;
        cards.reportTo(sink);
        housekeeping.start();
        progress.start();
    }

    void tell(Fact fact) {
        failpoints.reach("node.before-report");
        facts.accept(fact);
    }

    String bootId() {
        return bootId;
    }

    String tracking() {
        return cgroups.isPresent() ? "cgroup" : "marker";
    }

    TaskLogs logs() {
        return new LocalLogs(settings.tasks());
    }

    LocalNode.Settings settings() {
        return settings;
    }

    Failpoints failpoints() {
        return failpoints;
    }

    Spawner spawner() {
        return spawner;
    }

    ExitWatcher exits() {
        return exits;
    }

    Sweep sweep() {
        return sweep;
    }

    ShimScript script() {
        return script;
    }

    Windows windows() {
        return windows;
    }

    CardWatch cards() {
        return cards;
    }

    Housekeeping housekeeping() {
        return housekeeping;
    }

    ProgressWatch progress() {
        return progress;
    }

    AttemptDirectory directory(AttemptId id) {
        return AttemptDirectory.of(settings.tasks(), id);
    }

    Marker marker(AttemptId id) {
        return new Marker(home, id.toString());
    }

    Optional<Path> cgroup(AttemptId id) throws IOException {
        return cgroups.isPresent()
                ? Optional.of(cgroups.get().create("berth-" + home + "-" + id))
                : Optional.empty();
    }

    ProcessSet processes(AttemptId id, Optional<ProcessKey> shim) throws IOException {
        return new ProcessSet(new Traces(marker(id), shim, cgroup(id)), table);
    }

    Strays strays() {
        return new LocalStrays(home, table, sweep, settings.stopGrace());
    }

    @Override
    public void close() throws IOException {
        cards.close();
        progress.close();
        housekeeping.close();
        exits.close();
    }
}
