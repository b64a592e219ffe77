package dev.berth.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.berth.simulator.cluster.ConsolidatedPool.NodeGpus;
import dev.berth.simulator.trace.InvalidInput;
import dev.berth.simulator.trace.JobNeed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class ClusterTextTest {

    @TempDir Path directory;

    @Test
    void readsGroupsOfNodes() throws Exception {
        assertThat(ClusterText.nodes("2x8+1x2"))
                .containsExactly(Node.ofGpus(8), Node.ofGpus(8), Node.ofGpus(2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "8", "x8", "4x", "4x8x2", "0x8", "4x0", "-1x8", "4x8+", "9999999x8"})
    void refusesWhatAreNoNodes(String text) {
        assertThatThrownBy(() -> ClusterText.nodes(text)).isInstanceOf(InvalidInput.class);
    }

    @Test
    void readsVirtualClustersWithAndWithoutTheSizeOfTheirNodes() throws Exception {
        var clusters = ClusterText.virtualClusters("a=2,b=1x4", 8);

        assertThat(clusters.get("a")).containsExactly(Node.ofGpus(8), Node.ofGpus(8));
        assertThat(clusters.get("b")).containsExactly(Node.ofGpus(4));
        assertThatThrownBy(() -> ClusterText.virtualClusters("a=2", 0))
                .hasMessageContaining("how many GPUs");
        assertThatThrownBy(() -> ClusterText.virtualClusters("a=2,a=3", 8))
                .hasMessageContaining("second a");
    }

    @Test
    void readsAListOfNodes() throws Exception {
        var file = directory.resolve("nodes.csv");
        Files.writeString(file, "sn,cpu_milli,memory_mib,gpu,model,count\nn1,64000,1024,2,T4,2\n");

        var node = new Node(2, 64000, 1024, "T4");
        assertThat(NodeList.read(file)).containsExactly(node, node);
    }

    @Test
    void aLargeJobTakesFreeNodesOfTheLargestSizeAndItsRestTheFreest() {
        var pool = new ConsolidatedPool(List.of(2, 8, 8, 4));
        pool.take(new NodeGpus(List.of(1), 1));

        assertThat(pool.fits(JobNeed.ofGpus(16))).isFalse();
        assertThat(pool.choose(JobNeed.ofGpus(11))).isEqualTo(new NodeGpus(List.of(2, 1), 3));
        assertThat(pool.choose(JobNeed.ofGpus(3))).isEqualTo(new NodeGpus(List.of(3), 3));
    }
}
