package io.verbena.sockets.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.nio.LeftOut;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Classes as tools make them that give the packages of Netty other names. */
class ClassWatchTest {

    private final List<String> said = new ArrayList<>();
    private final List<String> properties = new ArrayList<>();
    private final ClassWatch watch = new ClassWatch(said::add);

    @AfterEach
    void clear() {
        properties.forEach(System::clearProperty);
    }

    /** A class whose initializer reads a property, as that of Netty does. */
    private static byte[] reading(String name, String property) {
        return ClassFile.of()
                .build(
                        ClassDesc.ofInternalName(name),
                        type -> type.withMethodBody(
                                ConstantDescs.CLASS_INIT_NAME,
                                ConstantDescs.MTD_void,
                                ClassFile.ACC_STATIC,
                                code -> code.ldc(property)
                                        .invokestatic(
                                                ClassDesc.of("java.lang.Boolean"),
                                                "getBoolean",
                                                MethodTypeDesc.of(ConstantDescs.CD_boolean, ConstantDescs.CD_String))
                                        .pop()
                                        .return_()));
    }

    private void load(String name, String property) {
        properties.add(property);
        assertNull(watch.transform(null, name, null, null, reading(name, property)), "no class is changed");
    }

    @ParameterizedTest
    @CsvSource({
        "io/netty/channel/epoll/Epoll, watch1.io.netty.transport.noNative",
        "io/grpc/netty/shaded/io/netty/channel/epoll/Epoll, watch2.io.grpc.netty.shaded.io.netty.transport.noNative",
        "org/example/io/netty/channel/kqueue/KQueue, watch3.io.netty.transport.noNative",
        "org/example/io/netty/channel/uring/IoUring, watch4.org.example.io.netty.transport.noNative",
    })
    void transportIsLoaded_itsOwnPropertySwitchesItOff(String name, String property) {
        load(name, property);
        assertEquals("true", System.getProperty(property));
        assertEquals(List.of(), said);
    }

    @Test
    void programWantsTheTransport_itIsLeftOut_andStatedOnce() {
        String property = "watch5.io.netty.transport.noNative";
        System.setProperty(property, "false");
        load("five/io/netty/channel/epoll/Epoll", property);
        load("five/io/netty/channel/epoll/Epoll", property);
        assertEquals("false", System.getProperty(property));
        String sentence =
                "native transport epoll of five.io.netty.channel.epoll.Epoll: the property " + property + " is false";
        assertEquals(List.of("TCP carries " + sentence + "."), said);
        assertTrue(LeftOut.sentences().contains(sentence), () -> "" + LeftOut.sentences());
    }

    @Test
    void transportWithoutAProperty_isLeftOut() {
        load("six/io/netty/channel/epoll/Epoll", "another.property");
        assertTrue(said.getFirst().contains("it has no property that switches it off"), said::toString);
        assertEquals(Optional.empty(), ClassWatch.property(reading("a/B", "another.property")));
    }

    @ParameterizedTest
    @CsvSource({"io/netty/channel/epoll/EpollMode", "io/netty/channel/nio/NioEventLoop", "my/Epoll"})
    void otherClasses_changeNothing(String name) {
        load(name, "watch7.io.netty.transport.noNative");
        assertNull(System.getProperty("watch7.io.netty.transport.noNative"));
    }
}
