package dev.berth.server.api;

import dev.berth.core.card.Card;
import dev.berth.core.plan.Refusal;
import dev.berth.core.plan.Verdict;
import dev.berth.core.plan.WaitReason;
import dev.berth.core.plan.WaitReason.CardRefused;
import dev.berth.wire.Reason;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Why nothing of a run starts, in a few plain sentences. */
final class RunReason {

    private static final int MOST_CARDS = 16;

    private RunReason() {}

    /**
     * @param verdict on the first of its tasks that could come
     * @param left how many cards lanes leave to others
     */
    static Optional<String> of(Verdict verdict, int left) {
        return switch (verdict) {
            case Verdict.Start _ -> Optional.empty();
            case Verdict.Wait(_, var reasons) ->
                    reasons.isEmpty()
                            ? Optional.empty()
                            : Optional.of(
                                    reasons.stream()
                                            .map(reason -> words(reason, left))
                                            .collect(Collectors.joining(" ")));
        };
    }

    private static String words(WaitReason reason, int left) {
        var kept =
                switch (reason) {
                    case WaitReason.CardsShort(_, _, var refused) -> allKeptBack(refused);
                    case WaitReason.Impossible(_, _, var refused) -> allKeptBack(refused);
                    case WaitReason.CpuFull _,
                            WaitReason.Behind _,
                            WaitReason.LaneBusy _,
                            WaitReason.Resting _,
                            WaitReason.Spacing _,
                            WaitReason.Polite _,
                            WaitReason.Paused _ ->
                            List.<Card>of();
                };
        return kept.isEmpty() ? sentences(ReasonWords.of(reason)) : keptBack(kept, left);
    }

    /** The lanes' cards, where every one of them is kept back; else none. */
    private static List<Card> allKeptBack(List<CardRefused> refused) {
        var kept = new ArrayList<Card>();
        for (var one : refused) {
            switch (one.refusal()) {
                case Refusal.KeptBack _ -> kept.add(one.card());
                case Refusal.OutsidePool _, Refusal.Reserved _, Refusal.OutsideLanes _ -> {}
                case Refusal other -> {
                    return List.of();
                }
            }
        }
        return kept;
    }

    private static String keptBack(List<Card> kept, int left) {
        var cards =
                kept.stream()
                        .map(card -> Integer.toString(card.index()))
                        .collect(Collectors.joining(", "));
        return "gpu_left "
                + left
                + " keeps back every card that lanes may use (GPU "
                + cards
                + "), so that none is left for this run. Lower gpu_left, or give lanes more cards"
                + " (use_all_gpus, compete_gpus).";
    }

    private static String sentences(Reason reason) {
        var words = new StringBuilder(reason.detail());
        reason.parts().stream()
                .limit(MOST_CARDS)
                .forEach(part -> words.append(' ').append(part.detail()));
        int more = reason.parts().size() - MOST_CARDS;
        return words.append(more > 0 ? " (and " + more + " more)" : "").toString();
    }
}
