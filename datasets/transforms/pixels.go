package transforms

// An image of a handwritten digit has DigitSide rows of DigitSide pixels.
const (
	DigitSide   = 28
	DigitPixels = DigitSide * DigitSide
)

// Shades are the values k/255 of the bytes k of pixels.
var Shades = func() (s [256]float64) {
	for k := range s {
		s[k] = float64(k) / 255
	}
	return s
}()

// Shade writes the values of pixels, in [0, 1], to x.
func Shade(x []float64, pixels []byte) {
	for j, p := range pixels {
		x[j] = Shades[p]
	}
}

// Colour pictures of 32 by 32 pixels, three planes of bytes a picture.
const (
	PictureSide   = 32
	PicturePixels = PictureSide * PictureSide
	PictureBytes  = 3 * PicturePixels
)

// grey are the shares of red, green and blue in the grey of a picture, as in rgb2gray of MATLAB and ITU-R BT.601.
var grey = [3]float64{0.2989, 0.5870, 0.1140}

// ShadePicture writes the grey values of a picture, in [0, 1] and row by row, to x. Its planes are red, green and
// blue; turned says that they are column by column.
func ShadePicture(x []float64, picture []byte, turned bool) {
	for i := range x {
		at := i
		if turned {
			at = i%PictureSide*PictureSide + i/PictureSide
		}
		v := 0.0
		for c, share := range grey {
			v += float64(share * float64(picture[c*PicturePixels+at]))
		}
		x[i] = v / 255
	}
}
