package dev.berth.simulator.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.simulator.replay.Schedule;
import dev.berth.simulator.replay.ScheduledJob;
import dev.berth.simulator.trace.Job;
import dev.berth.simulator.trace.JobNeed;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

class ComparisonChartTest {

    @Test
    void drawsALineOfEachPolicyInBothPanelsAndNamesIt() throws Exception {
        var schedules = new LinkedHashMap<String, Schedule>();
        schedules.put("fifo", schedule(0, 500));
        schedules.put("easy", schedule(0, 90_000));

        var drawing = parsed(ComparisonChart.draw("a < b", schedules));

        assertThat(drawing.getElementsByTagName("polyline").getLength()).isEqualTo(4);
        var text = drawing.getDocumentElement().getTextContent();
        assertThat(text).contains("a < b", "fifo", "easy", "1 h", "99.9 %", "12 h");
        assertThat(text).contains("prefers-color-scheme:dark").doesNotContain("NaN");
    }

    @Test
    void drawsAnEmptySchedule() throws Exception {
        var schedules = new LinkedHashMap<String, Schedule>();
        schedules.put("fifo", new Schedule(List.of(), 0, 0));

        var drawing = parsed(ComparisonChart.draw("empty", schedules));

        assertThat(drawing.getDocumentElement().getTextContent()).contains("empty");
    }

    private static Schedule schedule(long firstStart, long secondStart) {
        return new Schedule(List.of(started(0, firstStart), started(1, secondStart)), 0, 8);
    }

    private static ScheduledJob started(int row, long start) {
        return new ScheduledJob(new Job(row, "" + row, "", "", 0, 100, JobNeed.ofGpus(4)), start);
    }

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }
}
