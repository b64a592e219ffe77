package dev.berth.node;

import dev.berth.engine.port.Fact;
import dev.berth.node.process.ProcessSet.Member;
import dev.berth.node.process.Sweep;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a sweep found, in the words of facts. */
final class Leftovers {

    private Leftovers() {}

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
