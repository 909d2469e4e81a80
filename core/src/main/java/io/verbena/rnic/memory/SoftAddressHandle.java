package io.verbena.rnic.memory;

import io.verbena.objects.Destination;
import io.verbena.rnic.datagram.Datagrams;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import java.util.concurrent.atomic.AtomicBoolean;

/** An address handle: the number of a destination of the transport. */
public final class SoftAddressHandle implements AddressHandle, Destination {

    private final DomainObjects domain;
    private final Datagrams transport;
    private final AddressHandleAttributes attributes;
    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    public SoftAddressHandle(DomainObjects domain, Datagrams transport, AddressHandleAttributes attributes) {
        this.domain = domain;
        this.transport = transport;
        this.attributes = attributes;
        number = transport.addDestination(attributes);
    }

    public DomainObjects domain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public boolean closed() {
        return closed.get();
    }

    @Override
    public AddressHandleAttributes attributes() {
        return attributes;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            transport.releaseDestination(number);
            domain.remove(this);
        }
    }
}
