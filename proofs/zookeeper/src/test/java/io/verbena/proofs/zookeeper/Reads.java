package io.verbena.proofs.zookeeper;

import io.verbena.proofs.Requests;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** Measures getData of one client. Argument: the server. */
final class Reads {

    private static final int NODE_BYTES = 256;
    private static final String NODE = "/read";

    private Reads() {}

    public static void main(String[] arguments) throws Exception {
        try (ZooKeeper client = Clients.connect(arguments[0])) {
            client.create(NODE, new byte[NODE_BYTES], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            Requests.measure(() -> {
                if (client.getData(NODE, false, null).length != NODE_BYTES) {
                    throw new AssertionError("a node of another length");
                }
            });
        }
    }
}
