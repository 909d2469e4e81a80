package io.verbena.proofs.zookeeper;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** Creates nodes with one client; reads and watches them with another one. Arguments: the server and the number of nodes. */
final class Clients {

    private static final long PATIENCE_S = 60;

    private Clients() {}

    public static void main(String[] arguments) throws Exception {
        int nodes = Integer.parseInt(arguments[1]);
        try (ZooKeeper writer = connect(arguments[0]);
                ZooKeeper reader = connect(arguments[0])) {
            for (int i = 0; i < nodes; i++) {
                writer.create("/node" + i, value(i), ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            }
            reader.sync("/", (_, _, _) -> {}, null);
            CountDownLatch changes = new CountDownLatch(nodes);
            for (int i = 0; i < nodes; i++) {
                require(
                        i,
                        reader.getData(
                                "/node" + i,
                                event -> {
                                    if (event.getType() == EventType.NodeDataChanged) {
                                        changes.countDown();
                                    }
                                },
                                null),
                        value(i));
            }
            for (int i = 0; i < nodes; i++) {
                writer.setData("/node" + i, value(i + nodes), -1);
            }
            if (!changes.await(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new AssertionError(changes.getCount() + " changes were not reported");
            }
            for (int i = 0; i < nodes; i++) {
                require(i, reader.getData("/node" + i, false, null), value(i + nodes));
            }
        }
    }

    private static byte[] value(int number) {
        byte[] text = ("value " + number).getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(50 + number % 50).put(text).array();
    }

    private static void require(int node, byte[] found, byte[] expected) {
        if (!Arrays.equals(found, expected)) {
            throw new AssertionError("node " + node + " has other bytes");
        }
    }

    static ZooKeeper connect(String server) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(server, 30_000, _ -> connected.countDown());
        if (!connected.await(PATIENCE_S, TimeUnit.SECONDS)) {
            throw new AssertionError("not connected to " + server);
        }
        return client;
    }
}
