package dev.berth.node.card;

import dev.berth.core.card.Occupant;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks {@code nvidia-smi}: once for the cards and once for their processes, since it answers only
 * one kind of question at a time.
 */
final class SmiProbe implements CardProbe {

    private static final Logger log = LoggerFactory.getLogger(SmiProbe.class);

    private final Path program;
    private final Smi smi;
    private boolean hasWarned;

    SmiProbe(Path program) {
        this.program = program;
        this.smi = new Smi(program);
    }

    @Override
    public List<CardRow> read() throws ProbeFailure {
        var cards = SmiText.cards(smi.ask("--query-gpu=" + SmiText.CARD_FIELDS));
        var processes = processes();
        var rows = new ArrayList<CardRow>();
        for (var card : cards) {
            var there = processes.map(all -> all.getOrDefault(card.uuid(), List.of()));
            rows.add(card.with(there));
        }
        return rows;
    }

    /** A driver that cannot list processes can still say how full its cards are. */
    private Optional<Map<String, List<Occupant>>> processes() {
        try {
            var all = SmiText.processes(smi.ask("--query-compute-apps=" + SmiText.PROCESS_FIELDS));
            hasWarned = false;
            return Optional.of(all);
        } catch (ProbeFailure failure) {
            if (!hasWarned) {
                log.warn("the processes on the cards cannot be read: {}", failure.why());
                hasWarned = true;
            }
            return Optional.empty();
        }
    }

    @Override
    public boolean isImmediate() {
        return false;
    }

    @Override
    public HealthProbe health() {
        return new SmiHealth(new Smi(program));
    }

    @Override
    public String name() {
        return "nvidia-smi";
    }

    @Override
    public void close() {
        smi.close();
    }
}
