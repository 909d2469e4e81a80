package io.verbena.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A connection with one message of every opcode, as a capture file. */
final class SampleConversation {
    static final int INITIATOR_FPDUS = 10;
    static final int RESPONDER_FPDUS = 3;

    final byte[] initiator;
    final byte[] responder;
    final byte[] pcapng;

    SampleConversation(boolean markers, boolean ipv6, int mss) {
        byte[] request = start(MpaStartFrame.Kind.REQUEST, markers);
        byte[] reply = start(MpaStartFrame.Kind.REPLY, markers);
        FpduStream there = fromInitiator(markers);
        FpduStream back = fromResponder(markers);
        initiator = concat(request, there.bytes());
        responder = concat(reply, back.bytes());
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (PcapngWriter out = new PcapngWriter(file, PcapngWriter.ETHERNET)) {
            TcpTrace trace = new TcpTrace(out, endpoint(ipv6, 1, 40000), endpoint(ipv6, 2, 7174), mss);
            long nowNs = 1_700_000_000_123_456_789L;
            trace.open(nowNs);
            trace.data(TcpTrace.Side.INITIATOR, request, nowNs + 1000);
            trace.data(TcpTrace.Side.RESPONDER, reply, nowNs + 2000);
            send(trace, TcpTrace.Side.INITIATOR, there, markers, nowNs + 3000);
            send(trace, TcpTrace.Side.RESPONDER, back, markers, nowNs + 4000);
            trace.fin(TcpTrace.Side.RESPONDER, nowNs + 5000);
            trace.fin(TcpTrace.Side.INITIATOR, nowNs + 6000);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        pcapng = file.toByteArray();
    }

    /** With markers, tshark wants each FPDU in a segment of its own. */
    private static void send(TcpTrace trace, TcpTrace.Side side, FpduStream stream, boolean oneByOne, long nowNs)
            throws IOException {
        if (oneByOne) {
            for (byte[] fpdu : stream.fpdus()) {
                trace.data(side, fpdu, nowNs);
            }
        } else {
            trace.data(side, stream.bytes(), nowNs);
        }
    }

    static InetSocketAddress endpoint(boolean ipv6, int host, int port) throws IOException {
        byte[] address = new byte[ipv6 ? 16 : 4];
        address[0] = (byte) (ipv6 ? 0xfd : 10);
        address[address.length - 1] = (byte) host;
        return new InetSocketAddress(InetAddress.getByAddress(address), port);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(first);
        all.writeBytes(second);
        return all.toByteArray();
    }

    private static byte[] start(MpaStartFrame.Kind kind, boolean markers) {
        byte[] frame = new byte[MpaStartFrame.LENGTH + MpaEnhanced.LENGTH];
        MemorySegment segment = MemorySegment.ofArray(frame);
        new MpaStartFrame()
                .wrap(segment, 0)
                .kind(kind)
                .flags(0)
                .m(markers)
                .c(true)
                .s(true)
                .rev(MpaStartFrame.REV_2)
                .pdLength(MpaEnhanced.LENGTH);
        new MpaEnhanced().wrap(segment, MpaStartFrame.LENGTH).clear().ird(4).ord(8);
        return frame;
    }

    private static FpduStream fromInitiator(boolean markers) {
        byte[] read = new byte[ReadRequest.LENGTH];
        new ReadRequest()
                .wrap(MemorySegment.ofArray(read), 0)
                .sinkStag(0x11)
                .sinkTo(0x22)
                .rdmardsz(1500)
                .srcStag(0x33)
                .srcTo(0x44);
        byte[] atomic = new byte[AtomicRequest.LENGTH];
        new AtomicRequest()
                .wrap(MemorySegment.ofArray(atomic), 0)
                .aOpCode(AtomicOpcode.CMP_SWAP)
                .requestIdentifier(7)
                .remoteStag(0x55)
                .remoteTo(0x68)
                .addOrSwapData(1)
                .addOrSwapMask(-1)
                .compareData(2)
                .compareMask(-1);
        return new FpduStream(markers)
                .untagged(RdmapOpcode.SEND, true, 1, 0, new byte[16])
                .tagged(RdmapOpcode.WRITE, false, 0x77, 0x1000, new byte[1400])
                .tagged(RdmapOpcode.WRITE, true, 0x77, 0x1000 + 1400, new byte[3])
                .untagged(RdmapOpcode.SEND_SE, true, 2, 0, new byte[5])
                .untagged(RdmapOpcode.SEND_INVALIDATE, true, 3, 0)
                .untagged(RdmapOpcode.SEND_SE_INVALIDATE, true, 4, 0, new byte[6])
                .untagged(RdmapOpcode.READ_REQUEST, true, 1, 0, read)
                .untagged(RdmapOpcode.ATOMIC_REQUEST, true, 2, 0, atomic)
                .untagged(RdmapOpcode.IMMEDIATE, true, 5, 0, new byte[ImmediateData.LENGTH])
                .untagged(RdmapOpcode.IMMEDIATE_SE, true, 6, 0, new byte[ImmediateData.LENGTH]);
    }

    private static FpduStream fromResponder(boolean markers) {
        byte[] atomic = new byte[AtomicResponse.LENGTH];
        new AtomicResponse()
                .wrap(MemorySegment.ofArray(atomic), 0)
                .originalRequestIdentifier(7)
                .originalRemoteDataValue(2);
        byte[] terminate = new byte[Terminate.payloadLength(true, DdpUntagged.LENGTH, false)];
        MemorySegment segment = MemorySegment.ofArray(terminate);
        Terminate header = new Terminate()
                .wrap(segment, 0)
                .code(TerminateCode.DDP_UNTAGGED_NO_BUFFER)
                .m(true)
                .d(true)
                .ddpSegmentLength(34);
        new DdpUntagged()
                .wrap(segment, header.ddpHeaderOffset())
                .control(RdmapOpcode.SEND, true)
                .msn(9);
        return new FpduStream(markers)
                .tagged(RdmapOpcode.READ_RESPONSE, true, 0x11, 0x22, new byte[1500])
                .untagged(RdmapOpcode.ATOMIC_RESPONSE, true, 1, 0, atomic)
                .untagged(RdmapOpcode.TERMINATE, true, 1, 0, terminate);
    }
}
