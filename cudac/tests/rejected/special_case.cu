// a special case of a template.
template <typename T> struct A {}; template <> struct A<int> {};
