package dev.berth.nodesocket.client;

import dev.berth.core.id.TaskId;
import dev.berth.nodesocket.message.Query;
import dev.berth.nodesocket.message.Reply;
import dev.berth.port.TaskFolders;

import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** The folders of ended tasks on the node. */
record RemoteFolders(RemoteNode node) implements TaskFolders {

    /** A step syncs the disk once for all its tasks. */
    private static final Duration TIME_LIMIT = Duration.ofMinutes(2);

    @Override
    public void discard(Collection<TaskId> tasks) throws IOException {
        node.ask(new Query.DiscardFolders(List.copyOf(tasks)), Reply.Count.class, TIME_LIMIT);
    }

    @Override
    public int fold(Collection<TaskId> tasks) throws IOException {
        var query = new Query.FoldFolders(List.copyOf(tasks));
        return node.ask(query, Reply.Count.class, TIME_LIMIT).number();
    }
}
