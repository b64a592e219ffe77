package dev.berth.node;

import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.Sweep;
import dev.berth.port.Fact;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Converts the result of a sweep into the form that facts use. */
final class LeftoverFacts {

    private LeftoverFacts() {}

    static List<Fact.Leftover> of(Sweep.Report report) {
        var leftovers = new ArrayList<Fact.Leftover>();
        for (var member : report.ended()) {
            leftovers.add(new Fact.Leftover(member.key().pid(), member.program(), true));
        }
        for (var spared : report.spared()) {
            var process = spared.process();
            leftovers.add(new Fact.Leftover(process.key().pid(), process.program(), false));
        }
        return leftovers;
    }

    static String describe(List<Member> members) {
        return members.stream()
                .map(member -> member.program() + " (pid " + member.key().pid() + ")")
                .collect(Collectors.joining(", "));
    }
}
