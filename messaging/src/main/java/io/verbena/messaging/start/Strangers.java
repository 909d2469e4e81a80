package io.verbena.messaging.start;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Connections whose peers have not proved that they know the secret of the job. Their number is bounded. Addresses share the places: if there
 * are too many connections, the oldest one of the address with the most connections is closed, so that one host cannot displace the ranks of
 * others. Used under the lock of its owner.
 */
final class Strangers {

    private final Map<InetAddress, Set<Socket>> byAddress = new LinkedHashMap<>();
    private int size;

    /** Adds a connection; closes another one if there are more than this number of places. */
    void add(Socket socket, int places) {
        byAddress
                .computeIfAbsent(socket.getInetAddress(), any -> new LinkedHashSet<>())
                .add(socket);
        size++;
        if (size > places) {
            displace();
        }
    }

    private void displace() {
        Set<Socket> most = Set.of();
        for (Set<Socket> sockets : byAddress.values()) {
            if (sockets.size() > most.size()) {
                most = sockets;
            }
        }
        Iterator<Socket> oldest = most.iterator();
        Socket victim = oldest.next();
        remove(victim);
        close(victim);
    }

    void remove(Socket socket) {
        Set<Socket> sockets = byAddress.getOrDefault(socket.getInetAddress(), Set.of());
        if (sockets.contains(socket)) {
            sockets.remove(socket);
            size--;
            if (sockets.isEmpty()) {
                byAddress.remove(socket.getInetAddress());
            }
        }
    }

    void closeAll() {
        byAddress.values().forEach(sockets -> sockets.forEach(Strangers::close));
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing has to be sent on it any more.
        }
    }
}
