package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LinuxTest {

    /** The largest method that HotSpot inlines at a hot call (FreqInlineSize). */
    private static final int LARGEST_INLINED_BYTES = 325;

    @Test
    void systemCall_isCompiledOnItsOwn() throws IOException {
        try (InputStream in = Objects.requireNonNull(Linux.class.getResourceAsStream("Linux.class"))) {
            ClassModel model = ClassFile.of().parse(in.readAllBytes());
            int longest = model.methods().stream()
                    .filter(method -> method.methodName().stringValue().equals("call"))
                    .flatMap(method -> method.code().stream())
                    .mapToInt(code -> ((CodeAttribute) code).codeLength())
                    .max()
                    .orElse(0);
            assertTrue(longest > LARGEST_INLINED_BYTES, () -> "bytes of the longest method named call: " + longest);
        }
    }
}
