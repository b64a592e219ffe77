package dev.berth.node;

import dev.berth.core.card.CardId;
import dev.berth.core.task.Attempt;
import dev.berth.core.task.AttemptId;
import dev.berth.engine.port.Consumptions;
import dev.berth.engine.port.Fact;
import dev.berth.engine.port.Failpoints;
import dev.berth.engine.port.Node;
import dev.berth.engine.port.Strays;
import dev.berth.engine.port.TaskLogs;
import dev.berth.node.card.CardSettings;
import dev.berth.node.shim.CommandSettings;
import dev.berth.node.shim.TaskFolders;
import dev.berth.node.window.Windows;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** Starts, watches and ends attempts on this host. */
public final class LocalNode implements Node, AutoCloseable {

    private final Settings settings;
    private final Workshop workshop;
    private final Map<AttemptId, AttemptWork> works = new ConcurrentHashMap<>();

    /**
     * @param name of this host in every record
     * @param tasks the folder that holds the tasks' folders
     * @param stopGrace between TERM and KILL
     * @param logCapMib disk space that one attempt's log may take
     * @param commands what every command finds around it
     * @param stallAfter without progress a task is told of as standing still; zero for never
     */
    public record Settings(
            String name,
            Path tasks,
            CardSettings cards,
            Duration stopGrace,
            long logCapMib,
            CommandSettings commands,
            Windows.Settings windows,
            Duration stallAfter) {}

    private LocalNode(Settings settings, Workshop workshop) {
        this.settings = settings;
        this.workshop = workshop;
    }

    public static LocalNode start(Settings settings, Failpoints failpoints) throws IOException {
        return new LocalNode(settings, Workshop.open(settings, failpoints));
    }

    /** Where facts go from now on; the first are the cards and the disk. */
    public void reportTo(Consumer<Fact> facts) {
        workshop.reportTo(facts);
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public String bootId() {
        return workshop.bootId();
    }

    /** The highest task id that has a folder here. */
    public long highestTask() throws IOException {
        return TaskFolders.highest(settings.tasks());
    }

    /** How surely all processes of a task are found, in a word. */
    public String tracking() {
        return workshop.tracking();
    }

    /** How the cards are read, in a word. */
    public String probe() {
        return workshop.cards().probe();
    }

    public TaskLogs logs() {
        return workshop.logs();
    }

    /** What attempts that run have made of their cards. */
    public Consumptions consumptions() {
        return workshop.cards()::consumption;
    }

    /** What abnormal ends have left running. */
    public Strays strays() {
        return workshop.strays();
    }

    @Override
    public void launch(Launch order) {
        workshop.cards().granted(order.attempt());
        begin(order.attempt().id(), work -> work.launch(order));
    }

    @Override
    public void adopt(Attempt attempt, Optional<Duration> timeLimit) {
        workshop.cards().granted(attempt);
        begin(attempt.id(), work -> work.adopt(attempt, timeLimit));
    }

    @Override
    public void lookOften(boolean isOften) {
        workshop.cards().lookOften(isOften);
    }

    @Override
    public void test(CardId card) {
        workshop.cards().test(card);
    }

    /** An attempt that nobody works on was lost sight of; then what can be found of it is ended. */
    @Override
    public void stop(AttemptId id) {
        var work = works.get(id);
        if (work == null) {
            begin(id, AttemptWork::endWhatIsFound);
        } else {
            work.stop();
        }
    }

    private void begin(AttemptId id, Consumer<AttemptWork> what) {
        var work = new AttemptWork(id, workshop);
        works.put(id, work);
        Thread.ofVirtual()
                .name("attempt-" + id)
                .start(
                        () -> {
                            try {
                                what.accept(work);
                            } finally {
                                works.remove(id, work);
                            }
                        });
    }

    /** Attempts go on; only the watching ends. */
    @Override
    public void close() throws IOException {
        works.values().forEach(AttemptWork::abandon);
        workshop.close();
    }
}
