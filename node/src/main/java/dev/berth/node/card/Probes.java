package dev.berth.node.card;

import dev.berth.node.process.SearchPath;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/** Chooses how this host's cards are read. */
final class Probes {

    private static final String SMI = "nvidia-smi";

    private Probes() {}

    static CardProbe open(CardSettings settings, Holders holders, SearchPath path) {
        return switch (settings.source()) {
            case CardSource.None _ -> new NoProbe(Optional.empty());
            case CardSource.Simulated(int count, long mib, String model) ->
                    simulated(new SimulatedCards.Make(count, mib, model, false), holders);
            case CardSource.Lab(int count, long mib, String model) ->
                    simulated(new SimulatedCards.Make(count, mib, model, true), holders);
            case CardSource.Nvml _ -> nvml(settings).orElseGet(() -> noLibrary(settings));
            case CardSource.NvidiaSmi _ -> smi(settings, path).orElseGet(Probes::noProgram);
            case CardSource.Auto _ -> auto(settings, path);
        };
    }

    private static CardProbe auto(CardSettings settings, SearchPath path) {
        if (settings.nvidiaSmi().isPresent()) {
            return new SmiProbe(settings.nvidiaSmi().get());
        }
        return nvml(settings)
                .or(() -> smi(settings, path))
                .orElseGet(() -> new NoProbe(Optional.empty()));
    }

    private static CardProbe simulated(SimulatedCards.Make make, Holders holders) {
        return new SimulatedCards(make, holders, InstantSource.system());
    }

    private static Optional<CardProbe> nvml(CardSettings settings) {
        return Nvml.load(library(settings)).map(NvmlProbe::new);
    }

    private static String library(CardSettings settings) {
        return settings.nvml().map(Path::toString).orElse(Nvml.USUAL_NAME);
    }

    private static CardProbe noLibrary(CardSettings settings) {
        return new NoProbe(Optional.of(library(settings) + " cannot be loaded"));
    }

    private static CardProbe noProgram() {
        return new NoProbe(Optional.of("there is no nvidia-smi on the PATH"));
    }

    private static Optional<CardProbe> smi(CardSettings settings, SearchPath path) {
        return settings.nvidiaSmi().or(() -> path.find(SMI)).map(SmiProbe::new);
    }
}
