/** RDMA for the JVM: the verbs, the protocol engines, the software RNIC and what drives it. */
module io.verbena {
    requires jdk.jfr;
    requires jdk.net;
    requires static org.jspecify;

    exports io.verbena.verbs;

    // The engines are ours to change: only our own modules see them, and each only what the table of packages allows.
    // Messaging's protocol is a state machine too, and uses its table.
    exports io.verbena.base to
            io.verbena.fabric,
            io.verbena.hardware,
            io.verbena.messaging,
            io.verbena.sim,
            io.verbena.sockets,
            io.verbena.storage,
            io.verbena.tools,
            io.verbena.web,
            io.verbena.interop;
    exports io.verbena.text to
            io.verbena.fabric,
            io.verbena.files,
            io.verbena.hardware,
            io.verbena.sim,
            io.verbena.sockets,
            io.verbena.storage,
            io.verbena.tools,
            io.verbena.web,
            io.verbena.interop;
    exports io.verbena.live to
            io.verbena.hardware,
            io.verbena.sockets,
            io.verbena.tools,
            io.verbena.web;
    exports io.verbena.wire to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.wire.ip to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.connection to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.flow to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.handshake to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.ip to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.link to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.receive to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.segment to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.send to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.tcp.state to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.wire.ib to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.objects to
            io.verbena.fabric,
            io.verbena.hardware,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.queue to
            io.verbena.hardware,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.memory to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.memory.vmm to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.port to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.port.capture to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.port.faults to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.shm to
            io.verbena.sim,
            io.verbena.tools;
    exports io.verbena.work to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.iwarp to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.iwarp.early to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.iwarp.frame to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.engine to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.notify to
            io.verbena.hardware,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.survival to
            io.verbena.hardware;
    exports io.verbena.ib to
            io.verbena.fabric;
    exports io.verbena.ib.endpoint to
            io.verbena.fabric;
    exports io.verbena.ib.packet to
            io.verbena.fabric;
    exports io.verbena.ib.rd to
            io.verbena.fabric;
    exports io.verbena.ib.request to
            io.verbena.fabric;
    exports io.verbena.ib.respond to
            io.verbena.fabric;
    exports io.verbena.ib.settings to
            io.verbena.fabric;
    exports io.verbena.ib.unreliable to
            io.verbena.fabric;
    exports io.verbena.rnic to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.completion to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.context to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.datagram to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.memory to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.ib to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.ib.port to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.ib.terms to
            io.verbena.fabric,
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.rnic.iwarp to
            io.verbena.sim,
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.engine to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.epoll to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.link to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.processor to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.segment to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.socket to
            io.verbena.tools,
            io.verbena.interop;
    exports io.verbena.host.system to
            io.verbena.tools,
            io.verbena.interop;

    uses io.verbena.verbs.RnicProvider;
    uses io.verbena.verbs.ProcessorProvider;

    provides io.verbena.verbs.RnicProvider with
            io.verbena.host.AutomaticProvider,
            io.verbena.host.IwarpProvider,
            io.verbena.host.RoceIwarpProvider,
            io.verbena.host.RoceProvider,
            io.verbena.host.SharedMemoryProvider;
    provides io.verbena.verbs.ProcessorProvider with
            io.verbena.host.processor.HostProcessors;
}
