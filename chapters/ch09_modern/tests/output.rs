//! What the chapter prints: its records, its claims, its other shapes, and its lines.

lanes::chapter_tests!("ch09_modern");
