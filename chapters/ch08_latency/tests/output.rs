//! What the chapter prints: its records, its claims, and counts that have a closed form.

lanes::chapter_tests!("ch08_latency");
