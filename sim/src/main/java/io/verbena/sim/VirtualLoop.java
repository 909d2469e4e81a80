package io.verbena.sim;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.SocketAddress;

/** One engine's window on the virtual network. */
final class VirtualLoop implements StreamLoop {

    private final VirtualNetwork network;
    private final VirtualHost host;
    private final EngineDriver driver;

    VirtualLoop(VirtualNetwork network, VirtualHost host, EngineDriver driver) {
        this.network = network;
        this.host = host;
        this.driver = driver;
    }

    EngineDriver driver() {
        return driver;
    }

    VirtualHost host() {
        return host;
    }

    boolean dead() {
        return host.closed();
    }

    @Override
    public void connect(SocketAddress remote, ConnectEvents events) {
        network.connect(this, remote, events);
    }

    @Override
    public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
        return network.listen(this, local, events);
    }

    @Override
    public void attach(ByteStream stream, StreamEvents events) {
        ((VirtualStream) stream).attach(this, events);
    }

    @Override
    public void detach(ByteStream stream) {
        ((VirtualStream) stream).detach(this);
    }
}
